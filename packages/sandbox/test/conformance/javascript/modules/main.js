import word, { twice as two } from "./lib/word.js";
import * as all from "./lib/word.js";
document.querySelector("p").textContent = two(word) + Object.keys(all).join();
