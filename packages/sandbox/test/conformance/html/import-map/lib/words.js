export const one = "mapped ";
