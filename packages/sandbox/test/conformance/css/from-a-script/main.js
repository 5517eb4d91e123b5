import "./a.css";
document.title = getComputedStyle(document.querySelector("p")).color;
