/** How long a page that has not painted is waited for, counted from the latest edit. */
const patienceMs = 1_500;

/**
 * The beginning of a document. Until its first frame its modules may wait for packages, so that
 * nobody takes their new versions yet, and what it is going to ask for is not known.
 */
export interface Opening {
  readonly isOver: boolean;
  end(): void;
  /** Done when it is over, or no edit has come for long enough. */
  wait(): Promise<void>;
}

export function beginOpening(): Opening {
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
      timer = setTimeout(resolve, patienceMs);
      return promise;
    },
  };
}
