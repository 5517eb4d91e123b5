export const one = 'one';
