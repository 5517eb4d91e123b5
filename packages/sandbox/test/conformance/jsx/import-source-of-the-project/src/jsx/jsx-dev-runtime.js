export const Fragment = 'all';
export const jsxDEV = (type, { children }) => `${type}:${[children].flat().join('')}`;
