import { a, b, star } from "./index.js";
document.querySelector("p").textContent = [a, b, star.c].join();
