import text from "./note.txt?raw";
import code from "./main.js?raw";
document.querySelector("p").textContent = text.trim() + code.includes("?raw");
