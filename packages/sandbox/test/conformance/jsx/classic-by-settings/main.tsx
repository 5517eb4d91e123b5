const make = (name: string, _: unknown, ...inner: string[]) => `${name}(${inner})`;
document.querySelector("p")!.textContent = String(<b>x</b>);
