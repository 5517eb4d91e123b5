/** Workers that a page starts, and how their scripts fail to load. */

export interface StartedWorker {
  kind: 'worker' | 'sharedworker';
  worker: Worker | SharedWorker;
  /** The address as the page gave it. */
  written: string;
  /** Made where the page started it. */
  call: Error;
}

type Listener = (started: StartedWorker) => void;

const listeners: Listener[] = [];

/** Calls the listener for every worker from now on, before the page has it. */
export function followWorkers(listener: Listener): void {
  if (listeners.push(listener) === 1) watchConstructors();
}

/** What the page has made addresses of, by these; gone when they are revoked. */
const blobs = new Map<string, Blob>();
/** Address of the page's → of the same script with what is put in front of it. */
const instrumentedUrls = new Map<string, string>();
let instrument: ((script: Blob) => Blob) | undefined;

/** From now on, workers made of blobs begin with what this puts in front of their scripts. */
export function instrumentBlobs(by: (script: Blob) => Blob): void {
  instrument = by;
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = new Proxy(createObjectURL, {
    apply(native, self, args: [Blob | MediaSource]) {
      const url = Reflect.apply(native, self, args);
      const [blob] = args;
      if (blob instanceof Blob) blobs.set(url, blob);
      return url;
    },
  });
  URL.revokeObjectURL = new Proxy(revokeObjectURL, {
    apply(native, self, args: [string]) {
      const [url] = args;
      blobs.delete(url);
      const own = instrumentedUrls.get(url);
      instrumentedUrls.delete(url);
      if (own !== undefined) URL.revokeObjectURL(own);
      Reflect.apply(native, self, args);
    },
  });
}

/** The same for the same address: pages that start a shared worker by it share that. */
function instrumented(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined;
  const blob = blobs.get(address);
  if (!blob || !instrument) return undefined;
  const url = instrumentedUrls.get(address) ?? URL.createObjectURL(instrument(blob));
  instrumentedUrls.set(address, url);
  return url;
}

function watchConstructors(): void {
  for (const name of ['Worker', 'SharedWorker'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    const watched = new Proxy(native, {
      construct(target, args: unknown[], newTarget) {
        const [address, ...options] = args;
        const made = address instanceof URL ? address.href : address;
        const url = instrumented(made);
        const worker: unknown = Reflect.construct(target, [url ?? made, ...options], newTarget);
        const kind = name === 'Worker' ? 'worker' : 'sharedworker';
        if (worker instanceof Worker || worker instanceof SharedWorker)
          for (const listener of listeners)
            listener({ kind, worker, written: String(args[0]), call: new Error() });
        return Object(worker);
      },
    });
    Reflect.set(window, name, watched);
  }
}
