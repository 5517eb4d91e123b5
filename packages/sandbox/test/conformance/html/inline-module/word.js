export const word = "from a file";
