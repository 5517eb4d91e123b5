/** A page that was shown. Each visit is a new document, so the frame has no session history of its own. */
export interface HistoryEntry {
  readonly path: string;
  /** "#top" or "". */
  readonly hash: string;
}

export interface SessionHistory {
  readonly current: HistoryEntry;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Adds an entry after the current one and drops the entries that followed it. */
  push(visit: HistoryEntry): void;
  /** False if there is no such entry. */
  traverse(by: -1 | 1): boolean;
  setHash(hash: string): void;
}

const maxEntries = 100;

/** Session history of the srcdoc transport. */
export function createSessionHistory(entry: string): SessionHistory {
  /** Oldest first, with the index of the current entry. */
  let visits: readonly HistoryEntry[] = [{ path: entry, hash: '' }];
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
    push(visit) {
      visits = [...visits.slice(0, at + 1), visit].slice(-maxEntries);
      at = visits.length - 1;
    },
    traverse(by) {
      if (!visits[at + by]) return false;
      at += by;
      return true;
    },
    setHash(hash) {
      visits = visits.with(at, { ...current(), hash });
    },
  };
}
