import "./effect.js";
