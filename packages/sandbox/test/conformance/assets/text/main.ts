import address from "./a.txt";
document.querySelector("p")!.textContent = (await (await fetch(address)).text()).trim();
