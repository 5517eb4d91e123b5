/**
 * Text of the class that stands for `Worker` in packages which start workers of their own. Browsers
 * refuse a worker script of another origin, and packages come from the app's; so the worker begins
 * as a blob whose one line imports the script, as built for a worker (`/-worker/`, not `/-/`).
 *
 * One that is not said to be a module may call `importScripts`, which only a classic worker has. There
 * the script is imported as it runs: what is sent to it before is kept for it, and what it loads is
 * meant from the place where it was published.
 */
export const workerModule = `
export class VitrineWorker extends Worker {
  constructor(address, options) {
    const url = new URL(address, globalThis.location?.href);
    if (!url.pathname.includes("/npm/")) {
      super(address, options);
      return;
    }
    const script = JSON.stringify(url.href.replace("/-/", "/-worker/"));
    const start =
      options?.type === "module"
        ? "import " + script + ";"
        : "(" + startClassic + ")(" + JSON.stringify(url.href) + ", () => import(" + script + "));";
    super(URL.createObjectURL(new Blob([start], { type: "text/javascript" })), options);
  }
}
function startClassic(address, load) {
  const early = [];
  const keep = (event) => {
    event.stopImmediatePropagation();
    early.push(event);
  };
  const importOwn = self.importScripts;
  self.importScripts = (...names) =>
    importOwn(...names.map((name) => new URL(name, address).href));
  self.addEventListener("message", keep);
  load().then(
    () => {
      self.removeEventListener("message", keep);
      for (const event of early) self.dispatchEvent(new MessageEvent("message", event));
    },
    (error) => setTimeout(() => { throw error; }),
  );
}
`;

/** Text of the module that gives scripts an element like the one that would have loaded them. */
export const scriptModule = `
export function scriptAt(address) {
  if (typeof document === "undefined") return null;
  const script = document.createElement("script");
  script.src = new URL(address, import.meta.url).href;
  return script;
}
`;
