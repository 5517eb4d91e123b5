/**
 * Text of the classes that stand for `Worker` and `SharedWorker` in packages which start workers of
 * their own. Browsers refuse a worker script of another origin, and packages come from the app's; so
 * the worker begins as a blob whose one line imports the script, as built for a worker (`/-worker/`,
 * not `/-/`). A shared worker is told by its address, and a blob's address is known to one page alone:
 * all who ask there share it, and another page has one of its own.
 *
 * One that is not said to be a module may call `importScripts`, which only a classic worker has. There
 * the script is imported as it runs: what is sent to it before is kept for it, and what it loads is
 * meant from the place where it was published.
 */
export const workerModule = `
export class VitrineWorker extends Worker {
  constructor(address, options) {
    super(startOf(address, options?.type, "message"), options);
  }
}
// Some browsers have none, nor do workers.
export const VitrineSharedWorker = globalThis.SharedWorker && class extends SharedWorker {
  constructor(address, options) {
    super(startOf(address, options?.type, "connect"), options);
  }
};
const starts = new Map();
function startOf(address, type, event) {
  const url = new URL(address, globalThis.location?.href);
  if (!url.pathname.includes("/npm/")) return address;
  const script = JSON.stringify(url.href.replace("/-/", "/-worker/"));
  const given = [url.href, event].map((item) => JSON.stringify(item));
  const line =
    type === "module"
      ? "import " + script + ";"
      : "(" + startClassic + ")(" + given + ", () => import(" + script + "));";
  const start = starts.get(line) ?? URL.createObjectURL(new Blob([line], { type: "text/javascript" }));
  starts.set(line, start);
  return start;
}
function startClassic(address, type, load) {
  const early = [];
  const keep = (event) => {
    event.stopImmediatePropagation();
    early.push(event);
  };
  const importOwn = self.importScripts;
  self.importScripts = (...names) =>
    importOwn(...names.map((name) => new URL(name, address).href));
  self.addEventListener(type, keep);
  load().then(
    () => {
      self.removeEventListener(type, keep);
      for (const event of early) self.dispatchEvent(new MessageEvent(type, event));
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
