export const a = "a";
