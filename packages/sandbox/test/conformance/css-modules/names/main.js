import styles, { box } from "./a.module.css";
const p = document.querySelector("p");
p.className = styles.box;
p.textContent = String(styles.box === box && box !== "box");
