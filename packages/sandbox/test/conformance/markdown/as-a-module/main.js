import html from "./note.md";
document.querySelector("p").innerHTML = html;
