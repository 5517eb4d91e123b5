export const name = 'A';
export default 'a';
