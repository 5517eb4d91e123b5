import "./style.css";
document.querySelector("p")!.className = "pt-3";
document.querySelector("p")!.textContent = "set";
