export default "ab";
export const twice = (text) => text + text;
