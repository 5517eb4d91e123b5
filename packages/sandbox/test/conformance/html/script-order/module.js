order.push("module");
document.querySelector("p").textContent = order.join();
