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

function watchConstructors(): void {
  for (const name of ['Worker', 'SharedWorker'] as const) {
    const native: unknown = Reflect.get(window, name);
    if (typeof native !== 'function') continue;
    const watched = new Proxy(native, {
      construct(target, args: unknown[], newTarget) {
        const worker: unknown = Reflect.construct(target, args, newTarget);
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
