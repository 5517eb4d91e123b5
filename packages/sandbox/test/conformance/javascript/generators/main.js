function* upTo(n) { for (let i = 1; i <= n; i++) yield i; }
async function* slowly(items) { for (const item of items) yield await item; }
let sum = 0;
for await (const n of slowly(upTo(4))) sum += n;
document.querySelector("p").textContent = String(sum);
