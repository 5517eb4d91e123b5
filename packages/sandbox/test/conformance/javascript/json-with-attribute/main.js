import data from "./data.json" with { type: "json" };
document.querySelector("p").textContent = data.name;
