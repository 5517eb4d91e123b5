export const a = 1;
export { c as b } from "./c.js";
