let later!: string;
const set = () => { later = "set"; };
set();
const list = [1, 2] as const satisfies readonly number[];
document.querySelector("p")!.textContent = later + list![0] + (<number>(list[1] as number));
