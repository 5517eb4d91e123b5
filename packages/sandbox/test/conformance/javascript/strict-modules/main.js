document.querySelector("p").textContent = String(this) + (function () { return this; })();
