const canvas = document.body.appendChild(document.createElement("canvas"));
const context = canvas.getContext("2d");
context.fillStyle = "rgb(1, 2, 3)";
context.fillRect(0, 0, 1, 1);
document.querySelector("p").textContent = [...context.getImageData(0, 0, 1, 1).data].join();
