import { word } from "./word.js";
postMessage(word);
