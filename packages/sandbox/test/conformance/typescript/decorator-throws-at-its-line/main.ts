type Method = (this: unknown) => void;

const checked = (_method: Method, { name }: ClassMethodDecoratorContext): Method =>
  function () {
    if (name) throw new Error(`${String(name)} is not allowed`);
  };

class Door {
  @checked open(): void {}
}

document.querySelector("p")!.textContent = "closed";
new Door().open();
