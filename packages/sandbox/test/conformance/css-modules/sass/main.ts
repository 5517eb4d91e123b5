import { box } from "./a.module.scss";
document.querySelector("p")!.className = box;
document.querySelector("p")!.textContent = "nested";
