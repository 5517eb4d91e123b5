export const at = 'at';
