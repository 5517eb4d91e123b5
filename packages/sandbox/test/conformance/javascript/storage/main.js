localStorage.setItem("a", "kept");
sessionStorage.b = "too";
document.querySelector("p").textContent = localStorage.getItem("a") + sessionStorage.b + localStorage.length;
localStorage.clear();
