import { a } from "/lib/a.js";
document.querySelector("p").textContent = a;
