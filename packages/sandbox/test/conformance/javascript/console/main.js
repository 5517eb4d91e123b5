console.log("one", { two: 2 });
console.warn("three");
document.querySelector("p").textContent = "logged";
