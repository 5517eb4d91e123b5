interface Bird { name: string }
type Maybe<T> = T | undefined;
const bird: Maybe<Bird> = { name: "wren" } satisfies Bird;
document.querySelector("p")!.textContent = (bird as Bird).name;
