import a from "./a.mjs";
document.querySelector("p").textContent = a;
