import { a } from "./a";
import { b } from "./folder";
document.querySelector("p").textContent = a + b;
