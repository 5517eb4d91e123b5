const worker = new Worker("worker.js");
worker.onmessage = ({ data }) => {
  document.querySelector("p").textContent = data;
};
worker.postMessage(20);
