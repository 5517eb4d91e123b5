namespace Shapes {
  export const sides = 4;
  export namespace Deep { export const x = sides + 1; }
}
document.querySelector("p")!.textContent = String(Shapes.Deep.x);
