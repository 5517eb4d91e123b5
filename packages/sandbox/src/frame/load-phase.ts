/** Time after the latest edit until a page that has not painted is no longer waited for. */
const maxWaitMs = 1_500;

/**
 * The load phase of a document. Until its first paint, its modules may wait for packages: nothing accepts new
 * versions yet, and it isn't known which files the page will request.
 */
export interface LoadPhase {
  readonly isOver: boolean;
  end(): void;
  /** Resolves when the phase is over, or when no edit has come for long enough. */
  wait(): Promise<void>;
}

export function startLoadPhase(): LoadPhase {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    get isOver() {
      return isOver;
    },
    end() {
      isOver = true;
      resolve();
    },
    wait() {
      clearTimeout(timer);
      timer = setTimeout(resolve, maxWaitMs);
      return promise;
    },
  };
}
