/** The TypeScript worker, started before the app's code has loaded. Undefined once taken. */
let earlyWorker: Worker | undefined;
/** True once the app's client has taken a worker; later calls to start one are ignored. */
let isTaken = false;

/** Starts the worker early, so that it loads while the app's code does. */
export function startLanguageWorkerEarly(): void {
  if (!isTaken) earlyWorker ??= createWorker();
}

/** The early worker for the first caller, a new one for later callers. */
export function openLanguageWorker(): Worker {
  const worker = earlyWorker ?? createWorker();
  earlyWorker = undefined;
  isTaken = true;
  return worker;
}

function createWorker(): Worker {
  const worker = new Worker(new URL('../typescript/language-worker.ts', import.meta.url), {
    type: 'module',
  });
  // The next caller gets a new worker instead of a failed one.
  worker.onerror = () => {
    if (earlyWorker === worker) earlyWorker = undefined;
  };
  return worker;
}
