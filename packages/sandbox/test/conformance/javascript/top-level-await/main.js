import { value } from "./slow.js";
document.querySelector("p").textContent = value;
