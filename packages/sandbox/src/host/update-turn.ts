/** Time that new modules may take before a later edit is sent without waiting for them. */
const updateTimeoutMs = 1_000;

/** Lock that allows one HMR update of the page at a time, until it is acknowledged or times out. P-32 */
export interface UpdateTurn {
  readonly isTaken: boolean;
  take(version: number): void;
  /** Releases the lock if this version holds it; returns whether it did. */
  end(version: number): boolean;
  /** Releases the lock, whatever holds it. */
  abandon(): void;
}

/** Creates the lock. `onLate` is called when an update times out, so that later edits can be sent. */
export function createUpdateTurn(onLate: () => void): UpdateTurn {
  let version: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const abandon = () => {
    clearTimeout(timer);
    version = null;
  };
  return {
    get isTaken() {
      return version !== null;
    },
    take(next) {
      abandon();
      version = next;
      timer = setTimeout(() => {
        abandon();
        onLate();
      }, updateTimeoutMs);
    },
    end(finished) {
      const isHolder = finished === version;
      if (isHolder) abandon();
      return isHolder;
    },
    abandon,
  };
}
