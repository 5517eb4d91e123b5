/** A page that was shown; each run of it is a new document, so the frame has no history of its own. */
export interface Visit {
  readonly path: string;
  /** "#top" or "". */
  readonly hash: string;
}

export interface Visits {
  readonly current: Visit;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** What came after is forgotten, as in any history. */
  add(visit: Visit): void;
  /** False where there is nowhere to go. */
  travel(by: -1 | 1): boolean;
  setHash(hash: string): void;
}

const keptVisits = 100;

/** The pages that the portable path has shown. */
export function createVisits(entry: string): Visits {
  /** Oldest first, and which of them is shown. */
  let visits: readonly Visit[] = [{ path: entry, hash: '' }];
  let at = 0;
  const current = () => {
    const visit = visits[at];
    if (!visit) throw new Error(`there is no page ${at} of ${visits.length}`);
    return visit;
  };
  return {
    get current() {
      return current();
    },
    get canGoBack() {
      return at > 0;
    },
    get canGoForward() {
      return at < visits.length - 1;
    },
    add(visit) {
      visits = [...visits.slice(0, at + 1), visit].slice(-keptVisits);
      at = visits.length - 1;
    },
    travel(by) {
      if (!visits[at + by]) return false;
      at += by;
      return true;
    },
    setHash(hash) {
      visits = visits.with(at, { ...current(), hash });
    },
  };
}
