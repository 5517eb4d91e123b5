const digest = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode("abc"));
document.querySelector("p").textContent = crypto.randomUUID().length + "," + new Uint8Array(digest)[0];
