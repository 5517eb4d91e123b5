requestAnimationFrame(() => setTimeout(() => queueMicrotask(() => {
  document.querySelector("p").textContent = "in time";
}), 5));
