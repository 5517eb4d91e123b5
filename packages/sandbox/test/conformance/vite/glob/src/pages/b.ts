export const name = 'B';
export default 'b';
