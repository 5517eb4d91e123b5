/**
 * Text of the class that stands for `Worker` in packages which start workers of their own. Browsers
 * refuse a worker script of another origin, and packages come from the app's; so the worker begins
 * as a blob whose one line imports the script, as built for a worker (`/-worker/`, not `/-/`).
 */
export const workerModule = `
export class VitrineWorker extends Worker {
  constructor(address, options) {
    const url = new URL(address, globalThis.location?.href);
    if (!url.pathname.includes("/npm/")) {
      super(address, options);
      return;
    }
    const script = url.href.replace("/-/", "/-worker/");
    const start = new Blob(["import " + JSON.stringify(script) + ";"], { type: "text/javascript" });
    super(URL.createObjectURL(start), { ...options, type: "module" });
  }
}
`;
