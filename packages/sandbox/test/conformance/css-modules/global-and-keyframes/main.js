import styles from "./a.module.css";
const p = document.querySelector("p");
p.className = `${styles.local} shared`;
p.textContent = Object.keys(styles).sort().join();
