import dot from "./img/dot.svg";
import same from "./img/dot.svg?url";
const image = new Image();
image.onload = () => {
  document.querySelector("p").textContent = image.width + String(dot === same);
};
image.src = dot;
