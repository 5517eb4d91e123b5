add();
document.querySelector("p").textContent = shared + String(this === window);
