import "./effect.js";
import "./other.js";
document.querySelector("p").textContent = String(window.times);
