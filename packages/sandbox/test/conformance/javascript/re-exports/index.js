export * from "./ab.js";
export * as star from "./c.js";
