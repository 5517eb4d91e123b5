export const word = "from a module worker";
