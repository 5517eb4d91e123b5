const worker = new Worker("worker.js", { type: "module" });
worker.onmessage = ({ data }) => {
  document.querySelector("p").textContent = data;
};
