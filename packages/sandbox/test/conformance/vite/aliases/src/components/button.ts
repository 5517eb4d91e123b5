export const Button = 'Button';
