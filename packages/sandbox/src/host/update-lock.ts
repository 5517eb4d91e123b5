/** Time that new modules may take before a later edit is sent without waiting for them. */
const updateTimeoutMs = 1_000;

/** Lock that allows one HMR update of the page at a time, until it is acknowledged or times out. P-32 */
export interface UpdateLock {
  readonly isHeld: boolean;
  acquire(version: number): void;
  /** Releases the lock if this version holds it; returns whether it did. */
  release(version: number): boolean;
  /** Releases the lock, whatever holds it. */
  reset(): void;
}

/** Creates the lock. `onLate` is called when an update times out, so that later edits can be sent. */
export function createUpdateLock(onLate: () => void): UpdateLock {
  let version: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const abandon = () => {
    clearTimeout(timer);
    version = null;
  };
  return {
    get isHeld() {
      return version !== null;
    },
    acquire(next) {
      abandon();
      version = next;
      timer = setTimeout(() => {
        abandon();
        onLate();
      }, updateTimeoutMs);
    },
    release(finished) {
      const isHolder = finished === version;
      if (isHolder) abandon();
      return isHolder;
    },
    reset: abandon,
  };
}
