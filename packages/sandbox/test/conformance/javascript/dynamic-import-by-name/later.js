export default "by name";
