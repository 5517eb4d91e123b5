interface Gone {
  a: string;
}
enum Size { A }
document.querySelector("p")!.textContent = "before";
throw new Error(`size ${Size.A}` as string);
