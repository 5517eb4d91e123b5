/** No edit for this long is a rest. */
const restMs = 200;
/** Whoever never rests sees a new page that often. */
const atMostMs = 1_500;
/** In UTF-16 units: to load a page with a script of this size takes longer than the next letter. */
const muchText = 50_000;

/** When a page with much that changed is loaded anew: at once, or in a rest of the typing. P-36 */
export interface ReloadPace {
  /** `changed` is how long the changed texts are. False where it is to wait: `onRest` is called then. */
  mayLoad(changed: number): boolean;
  /** Whatever waits is of no interest any more. */
  abandon(): void;
}

export function createReloadPace(onRest: () => void): ReloadPace {
  let askedAt = -Infinity;
  let loadedAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    mayLoad(changed) {
      const now = performance.now();
      const isTyping = now - askedAt < restMs && now - loadedAt < atMostMs;
      askedAt = now;
      clearTimeout(timer);
      if (isTyping && changed > muchText) {
        // No sooner than what counts as a rest.
        timer = setTimeout(onRest, restMs + 1);
        return false;
      }
      loadedAt = now;
      return true;
    },
    abandon: () => clearTimeout(timer),
  };
}
