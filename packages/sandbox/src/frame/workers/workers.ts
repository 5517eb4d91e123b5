/** Observes workers that a page starts, and instruments their scripts. */

export interface StartedWorker {
  kind: 'worker' | 'sharedworker';
  worker: Worker | SharedWorker;
  /** URL as the page passed it. */
  url: string;
  /** Created where the page started the worker, for its stack. */
  call: Error;
}

type Listener = (started: StartedWorker) => void;

const listeners: Listener[] = [];

/** Calls the listener for every worker from now on, before the page gets it. */
export function onWorkerStarted(listener: Listener): void {
  if (listeners.push(listener) === 1) watchConstructors();
}

/** Blobs with an object URL, until it is revoked. */
const blobs = new Map<string, Blob>();
/** Object URLs of instrumented copies, by the page's URL. */
const instrumentedUrls = new Map<string, string>();
let instrument: ((script: Blob) => Blob) | undefined;

/** Instruments workers created from blobs from now on; `transform` returns the instrumented script. */
export function instrumentBlobWorkers(transform: (script: Blob) => Blob): void {
  instrument = transform;
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
      const instrumentedUrl = instrumentedUrls.get(url);
      instrumentedUrls.delete(url);
      if (instrumentedUrl !== undefined) URL.revokeObjectURL(instrumentedUrl);
      Reflect.apply(native, self, args);
    },
  });
}

/** Instrumented URL for a blob URL; the same for the same URL, because pages share a shared worker by its URL. */
function instrumented(original: unknown): string | undefined {
  if (typeof original !== 'string') return undefined;
  const blob = blobs.get(original);
  if (!blob || !instrument) return undefined;
  const url = instrumentedUrls.get(original) ?? URL.createObjectURL(instrument(blob));
  instrumentedUrls.set(original, url);
  return url;
}

function watchConstructors(): void {
  for (const name of ['Worker', 'SharedWorker'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    const watched = new Proxy(native, {
      construct(target, args: unknown[], newTarget) {
        const [input, ...options] = args;
        const original = input instanceof URL ? input.href : input;
        const url = instrumented(original);
        const worker: unknown = Reflect.construct(target, [url ?? original, ...options], newTarget);
        const kind = name === 'Worker' ? 'worker' : 'sharedworker';
        if (worker instanceof Worker || worker instanceof SharedWorker)
          for (const listener of listeners)
            listener({ kind, worker, url: String(args[0]), call: new Error() });
        return Object(worker);
      },
    });
    Reflect.set(window, name, watched);
  }
}
