export const two = "twice";
