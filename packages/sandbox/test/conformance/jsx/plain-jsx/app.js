export const App = () => <b>JSX in a .js file</b>;
