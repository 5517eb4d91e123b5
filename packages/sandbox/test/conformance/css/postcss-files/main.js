import "./a.postcss";
import names from "./card.module.pcss";
document.querySelector("p").className = names.card;
document.title = getComputedStyle(document.querySelector("p")).color;
