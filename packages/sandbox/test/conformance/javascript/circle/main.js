import { isEven } from "./even.js";
document.querySelector("p").textContent = String(isEven(10));
