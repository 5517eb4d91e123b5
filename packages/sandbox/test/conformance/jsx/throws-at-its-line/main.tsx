import { Broken } from "./Broken";
document.querySelector("p")!.append(<Broken />);
