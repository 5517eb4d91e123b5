/** New modules may take this long before an edit goes on without them. */
const updateWithinMs = 1_000;

/** One update of the page is under way at a time, until it is answered or takes too long. P-32 */
export interface UpdateTurn {
  readonly isTaken: boolean;
  take(version: number): void;
  /** Whether it was the turn of that version, which is over then. */
  end(version: number): boolean;
  /** Whatever is under way is of no interest any more. */
  abandon(): void;
}

/** `onLate`: an update takes long, and what was edited since can be put in. */
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
    take(taken) {
      abandon();
      version = taken;
      timer = setTimeout(() => {
        abandon();
        onLate();
      }, updateWithinMs);
    },
    end(answered) {
      const isOver = answered === version;
      if (isOver) abandon();
      return isOver;
    },
    abandon,
  };
}
