import("./later.js").then(({ word }) => {
  document.querySelector("p").textContent = word;
});
