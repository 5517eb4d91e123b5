const inner = 2;
document.querySelector("p").textContent = String(eval("inner + 1") + new Function("return 4")());
