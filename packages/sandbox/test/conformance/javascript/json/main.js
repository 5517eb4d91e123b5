import all, { name } from "./data.json";
document.querySelector("p").textContent = name + all.list.length;
