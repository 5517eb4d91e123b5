import "./look.scss";
document.querySelector("p").textContent = getComputedStyle(document.querySelector("p")).color;
