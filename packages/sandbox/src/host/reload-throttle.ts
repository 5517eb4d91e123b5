/** Time without an edit that counts as a pause. */
const pauseMs = 200;
/** During continuous typing, the page reloads this often. */
const maxIntervalMs = 1_500;
/** UTF-16 units. Loading a page with a script of this size takes longer than the time between two keystrokes. */
const largeText = 50_000;

/** Throttles reloads of a page with large changes: at once, or when typing pauses. P-36 */
export interface ReloadThrottle {
  /** `changed` is the length of the changed texts. Returns false to wait; `onRest` is called when typing pauses. */
  tryReload(changed: number): boolean;
  /** Cancels a pending `onRest`. */
  cancel(): void;
}

export function createReloadThrottle(onRest: () => void): ReloadThrottle {
  let editedAt = -Infinity;
  let loadedAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    tryReload(changed) {
      const now = performance.now();
      const isTyping = now - editedAt < pauseMs && now - loadedAt < maxIntervalMs;
      editedAt = now;
      clearTimeout(timer);
      if (isTyping && changed > largeText) {
        // One millisecond later than what still counts as typing.
        timer = setTimeout(onRest, pauseMs + 1);
        return false;
      }
      loadedAt = now;
      return true;
    },
    cancel: () => clearTimeout(timer),
  };
}
