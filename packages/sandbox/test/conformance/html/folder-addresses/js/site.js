document.querySelector("p").textContent = "rooted";
