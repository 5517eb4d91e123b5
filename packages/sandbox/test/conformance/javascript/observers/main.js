const seen = [];
new MutationObserver(() => seen.push("mutation")).observe(document.body, { childList: true });
new IntersectionObserver(() => {
  seen.push("intersection");
  document.querySelector("p").textContent = [...new Set(seen)].sort().join();
}).observe(document.querySelector("p"));
document.body.append("x");
