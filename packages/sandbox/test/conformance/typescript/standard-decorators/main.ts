interface Shown { order: string[] }

function named(name: string) {
  return (_target: unknown, { metadata }: ClassDecoratorContext) => {
    metadata.name = name;
  };
}
function loud<This>(method: (this: This) => string, context: ClassMethodDecoratorContext<This>) {
  return function (this: This): string {
    return method.call(this).toUpperCase() + (context.private ? "?" : "!");
  };
}
function doubled(_: undefined, { kind }: ClassFieldDecoratorContext) {
  return (start: number): number => (kind === "field" ? start * 2 : 0);
}
function noted<This extends Shown, Value>(
  { get, set }: ClassAccessorDecoratorTarget<This, Value>,
  { name, access }: ClassAccessorDecoratorContext<This, Value>,
): ClassAccessorDecoratorResult<This, Value> {
  return {
    init: (start) => start,
    get,
    set(next) {
      this.order.push(`${String(name)} ${access.get(this)} ${next}`);
      set.call(this, next);
    },
  };
}
function bound<This extends object>(method: Function, context: ClassMethodDecoratorContext<This>) {
  context.addInitializer(function () {
    Object.assign(this, { [context.name]: method.bind(this) });
  });
}

@named("bird")
class Bird implements Shown {
  readonly order: string[] = [];
  @noted accessor height: number = 1;
  @doubled eggs = 2;
  static #count: number = 0;

  constructor(private readonly word: string) {
    Bird.#count += 1;
  }
  @loud sing(): string {
    return this.word;
  }
  @loud #whisper(): string {
    return this.word;
  }
  @bound fly() {
    this.height += 2;
    return `${this.#whisper()} ${Bird.#count}`;
  }
}

const bird = new Bird("tweet");
const { fly } = bird;
document.querySelector("p")!.textContent = [
  bird.sing(), fly(), bird.eggs, ...bird.order, Bird[Symbol.metadata ?? Symbol.for("Symbol.metadata")]!.name,
].join(", ");
