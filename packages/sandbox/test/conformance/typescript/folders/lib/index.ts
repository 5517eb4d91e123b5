export { a } from "./a";
