import { a } from "./a.js";
import { b } from "./b.mjs";
document.querySelector("p")!.textContent = a + b;
