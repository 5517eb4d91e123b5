function pick(from: string): string;
function pick(from: number[]): number;
function pick<T>(from: ArrayLike<T>): T { return from[0]!; }
const same = <T,>(value: T): T => value;
document.querySelector("p")!.textContent = pick("xy") + pick([7]) + same<string>("z");
