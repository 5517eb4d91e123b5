export const all = 'all';
