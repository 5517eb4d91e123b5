export const name = 'S';
export default 's';
