import { a } from "./lib";
document.querySelector("p")!.textContent = a;
