export default "mjs";
