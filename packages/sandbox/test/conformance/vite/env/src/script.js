const text = "process.env.NODE_ENV";
document.querySelector('#script').textContent = [
  import.meta.env?.VITE_NAME, process.env.NODE_ENV, text,
].join('|');
