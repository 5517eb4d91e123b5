export const value: string = 'value';
