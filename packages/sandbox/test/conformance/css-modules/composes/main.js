import styles from "./a.module.css";
const p = document.querySelector("p");
p.className = styles.loud;
p.textContent = String(p.classList.length);
