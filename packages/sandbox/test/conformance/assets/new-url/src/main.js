const image = new Image();
image.onload = () => {
  document.querySelector("p").textContent = String(image.width);
};
image.src = new URL("../img/dot.svg", import.meta.url).href;
