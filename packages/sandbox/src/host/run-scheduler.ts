import { mergeFileChanges, type FileChanges } from '@vitrine/project';

/** When edits run: with each keystroke, after a pause in typing, or only when the user runs them. */
export type RunMode = 'typing' | 'pause' | 'hand';

/** Time without a keystroke that counts as a pause. */
export const pauseMs = 600;

/**
 * Holds the app's edits until they may run, then passes them to `take`. `isTyped` is true for edits
 * passed with each keystroke.
 */
interface RunScheduler {
  schedule(changes: FileChanges): void;
  /** Passes held edits now. */
  flush(): void;
  setMode(mode: RunMode): void;
  close(): void;
}

export function createRunScheduler(
  mode: RunMode,
  take: (changes: FileChanges, isTyped: boolean) => void,
): RunScheduler {
  let held: FileChanges | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const release = (isTyped = false) => {
    clearTimeout(timer);
    const changes = held;
    held = undefined;
    if (changes) take(changes, isTyped);
  };
  const wait = () => {
    clearTimeout(timer);
    if (mode === 'typing') release(true);
    else if (mode === 'pause') timer = setTimeout(() => release(), pauseMs);
  };
  return {
    schedule(changes) {
      held = held ? mergeFileChanges(held, changes) : changes;
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
