document.querySelector("p")!.append(<button onClick={(event: Event) => ((event.target as HTMLElement).textContent = "pressed")}>press</button>);
document.querySelector("button")!.click();
