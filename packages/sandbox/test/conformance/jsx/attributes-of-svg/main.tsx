document.querySelector("p")!.append(<svg viewBox="0 0 1 1" stroke-width="2"><use xlink:href="#a" /></svg>);
