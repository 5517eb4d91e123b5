import { size } from "./data.json";
import "./a.css";
document.querySelector("p")!.textContent = String(size satisfies number);
