export default 'later';
