const answer = await fetch("nothing.json");
document.querySelector("p").textContent = String(answer.status);
