export const word = "in a classic script";
