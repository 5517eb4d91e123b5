enum Size { Small = 1, Large = Small << 3 }
const enum Flag { On = "on" }
document.querySelector("p")!.textContent = [Size.Large, Size[1], Flag.On].join();
