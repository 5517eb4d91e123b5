/** A page that was shown. Each visit is a new document, so the frame has no session history of its own. */
export interface HistoryEntry {
  readonly path: string;
  /** "#top" or "". */
  readonly hash: string;
}

/** Session history of the srcdoc transport: at least one entry, oldest first, and the current one. */
export interface SessionHistory {
  readonly before: readonly HistoryEntry[];
  readonly current: HistoryEntry;
  readonly after: readonly HistoryEntry[];
}

const maxEntries = 100;

export function startHistory(path: string): SessionHistory {
  return { before: [], current: { path, hash: '' }, after: [] };
}

/** Adds an entry after the current one and drops the entries that followed it. */
export function pushEntry(history: SessionHistory, entry: HistoryEntry): SessionHistory {
  const before = [...history.before, history.current].slice(1 - maxEntries);
  return { before, current: entry, after: [] };
}

export function canTraverse({ before, after }: SessionHistory, by: -1 | 1): boolean {
  return (by < 0 ? before : after).length > 0;
}

/** Goes one entry back or forward; stays if there is none. */
export function traverse(history: SessionHistory, by: -1 | 1): SessionHistory {
  const { before, current, after } = history;
  const entry = by < 0 ? before.at(-1) : after[0];
  if (!entry) return history;
  return by < 0
    ? { before: before.slice(0, -1), current: entry, after: [current, ...after] }
    : { before: [...before, current], current: entry, after: after.slice(1) };
}

export function setHash(history: SessionHistory, hash: string): SessionHistory {
  return { ...history, current: { ...history.current, hash } };
}
