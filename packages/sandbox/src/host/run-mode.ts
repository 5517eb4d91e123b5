/** When edits run: with each key, when no key has come for a while, or when the person says so. */
export type RunMode = 'typing' | 'pause' | 'hand';

/** No key for this long is a pause. */
export const pauseMs = 600;

type Files = ReadonlyMap<string, string>;

/**
 * Holds the app's newest files back until they are to run, and then gives them to `take`: with each key,
 * `isTyped`, or whole.
 */
export interface Pace {
  give(files: Files): void;
  /** What is held back runs now. */
  release(): void;
  setMode(mode: RunMode): void;
  close(): void;
}

export function createPace(mode: RunMode, take: (files: Files, isTyped: boolean) => void): Pace {
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
    give(files) {
      held = files;
      wait();
    },
    release: () => release(),
    setMode(next) {
      mode = next;
      if (held) wait();
    },
    close: () => clearTimeout(timer),
  };
}
