const name = "later";
try {
  document.querySelector("p").textContent = (await import(`./${name}.js`)).default;
} catch (error) {
  document.querySelector("p").textContent = String(error);
}
