/** When edits run: with each keystroke, after a pause in typing, or only when the user runs them. */
export type RunMode = 'typing' | 'pause' | 'hand';

/** Time without a keystroke that counts as a pause. */
export const pauseMs = 600;

type Files = ReadonlyMap<string, string>;

/**
 * Holds the app's newest files until they may run, then passes them to `take`. `isTyped` is true for files
 * passed with each keystroke.
 */
export interface RunScheduler {
  schedule(files: Files): void;
  /** Passes held files now. */
  flush(): void;
  setMode(mode: RunMode): void;
  close(): void;
}

export function createRunScheduler(
  mode: RunMode,
  take: (files: Files, isTyped: boolean) => void,
): RunScheduler {
  let held: Files | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const release = (isTyped = false) => {
    clearTimeout(timer);
    const files = held;
    held = undefined;
    if (files) take(files, isTyped);
  };
  const wait = () => {
    clearTimeout(timer);
    if (mode === 'typing') release(true);
    else if (mode === 'pause') timer = setTimeout(() => release(), pauseMs);
  };
  return {
    schedule(files) {
      held = files;
      wait();
    },
    flush: () => release(),
    setMode(next) {
      mode = next;
      if (held) wait();
    },
    close: () => clearTimeout(timer),
  };
}
