export const label = (count: number): string => `count is ${count}`;
