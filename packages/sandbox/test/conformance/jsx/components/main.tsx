import { Hello } from "./Hello";
document.querySelector("p")!.append(<Hello name="you" />);
