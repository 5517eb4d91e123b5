export const module = 'module';
