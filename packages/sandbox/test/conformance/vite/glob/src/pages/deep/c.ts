export default 'c';
