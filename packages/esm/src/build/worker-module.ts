/*
 * Source of the modules that packages import in place of browser globals.
 *
 * `workerModule` has classes that replace `Worker` and `SharedWorker`. Browsers reject a worker script
 * of another origin, and packages are served from the app's origin. The worker therefore starts as a
 * blob whose only line imports the script, as built for a worker (`/-worker/` instead of `/-/`). A
 * shared worker is identified by its URL, and a blob's URL is known to one page only: all callers in
 * that page share the worker, and another page has one of its own.
 *
 * A worker without `type: 'module'` may call `importScripts`, which only a classic worker has. There,
 * the script is imported dynamically: messages that arrive before it has loaded are kept for it, and
 * the URLs it loads are resolved against the URL where it was published.
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

/** Module that gives scripts an element like the one that would have loaded them. */
export const scriptElementModule = `
export function scriptAt(address) {
  if (typeof document === "undefined") return null;
  const script = document.createElement("script");
  script.src = new URL(address, import.meta.url).href;
  return script;
}
`;
