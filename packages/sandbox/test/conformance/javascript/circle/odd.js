import { isEven } from "./even.js";
export function isOdd(n) { return n !== 0 && isEven(n - 1); }
