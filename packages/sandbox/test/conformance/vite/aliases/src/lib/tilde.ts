export const tilde = 'tilde';
export const lib = 'lib';
