import { isOdd } from "./odd.js";
export function isEven(n) { return n === 0 || isOdd(n - 1); }
