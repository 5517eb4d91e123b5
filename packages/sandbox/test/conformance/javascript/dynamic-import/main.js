const { default: word } = await import("./later.js");
document.querySelector("p").textContent = word;
