const bytes = Uint8Array.from(atob("AGFzbQEAAAABBwFgAn9/AX8DAgEABwcBA2FkZAAACgkBBwAgACABags="), (c) => c.charCodeAt(0));
const { instance } = await WebAssembly.instantiate(bytes);
document.querySelector("p").textContent = String(instance.exports.add(40, 2));
