export let count = 0;
export const add = () => void (count += 1);
