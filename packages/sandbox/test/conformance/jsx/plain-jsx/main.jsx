import { App } from "./app.js";
document.querySelector("p").append(<App />);
