/** The worker of a page's scripts, begun before anything of the app that asks it has come. */
let begun: Worker | undefined;
/** Who asks it has come. */
let isLate = false;

/** Begins it; it gets ready while nobody asks. */
export function beginLanguageWorker(): void {
  if (!isLate) begun ??= openWorker();
}

/** The one that was begun, for its first owner, or else a new one. */
export function takeLanguageWorker(): Worker {
  const taken = begun ?? openWorker();
  begun = undefined;
  isLate = true;
  return taken;
}

function openWorker(): Worker {
  const worker = new Worker(new URL('../typescript/language-worker.ts', import.meta.url), {
    type: 'module',
  });
  // Who takes another tries once more.
  worker.onerror = () => {
    if (begun === worker) begun = undefined;
  };
  return worker;
}
