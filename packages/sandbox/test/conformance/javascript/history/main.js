history.pushState({}, "", "/some/where?x=1");
document.querySelector("p").textContent = location.pathname + location.search;
