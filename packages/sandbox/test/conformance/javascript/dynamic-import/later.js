export default "later";
