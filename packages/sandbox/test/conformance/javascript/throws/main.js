document.querySelector("p").textContent = "before";
null.something;
