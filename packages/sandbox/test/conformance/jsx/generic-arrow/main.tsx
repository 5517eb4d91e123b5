const first = <T,>(items: T[]): T => items[0]!;
document.querySelector("p")!.append(<b>{first(["generic"])}</b>);
