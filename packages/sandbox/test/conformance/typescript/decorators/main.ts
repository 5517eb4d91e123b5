function named(name: string) {
  return (target: Function) => { Object.assign(target, { called: name }); };
}
function loud(_target: object, _key: string, found: PropertyDescriptor) {
  const before = found.value;
  found.value = function (this: unknown) { return before.call(this).toUpperCase(); };
}
@named("bird")
class Bird {
  @loud sing() { return "tweet"; }
}
document.querySelector("p")!.textContent = (Bird as unknown as { called: string }).called + new Bird().sing();
