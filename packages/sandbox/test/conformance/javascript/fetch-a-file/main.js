const rows = await (await fetch("data/rows.json")).json();
document.querySelector("p").textContent = rows.join("-");
