window.value = 41;
if (document.readyState === "loading") { /* its handler waits for the page */ }
