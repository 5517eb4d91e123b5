const more = { title: "spread", id: "x" };
document.querySelector("p")!.append(<b {...more}>{more.id === "x" ? "yes" : "no"}</b>);
