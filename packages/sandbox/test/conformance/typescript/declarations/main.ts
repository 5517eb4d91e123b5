declare const missing: number;
declare global { interface Window { mine: string } }
window.mine = "global";
document.querySelector("p")!.textContent = window.mine + typeof missing;
export {};
