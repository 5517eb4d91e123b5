import type { Bird } from "./bird";
import { make, type Kind } from "./bird";
const kind: Kind = "wren";
const bird: Bird = make(kind);
document.querySelector("p")!.textContent = bird.kind;
