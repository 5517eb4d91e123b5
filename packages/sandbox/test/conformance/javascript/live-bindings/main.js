import { count, add } from "./count.js";
add();
add();
document.querySelector("p").textContent = String(count);
