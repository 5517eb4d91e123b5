abstract class Named {
  constructor(protected readonly name: string) {}
}
class Bird extends Named {
  override toString() { return this.name; }
}
document.querySelector("p")!.textContent = `${new Bird("robin")}`;
