document.querySelector("p").textContent = "found";
