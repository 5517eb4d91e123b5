document.querySelector("p")!.append(<b title="t">bold</b>);
