document.querySelector("p").textContent = new URL("../a/b.txt", import.meta.url).pathname;
