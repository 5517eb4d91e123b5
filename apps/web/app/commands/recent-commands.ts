const storageKey = 'recent-commands';
const maxEntries = 20;

/** Ids of the commands last run from the palette on this device, latest first. */
export function readRecent(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    // The browser denies storage, or the value isn't ours.
    return [];
  }
}

export function rememberRecent(id: string): void {
  const ids = [id, ...readRecent().filter((other) => other !== id)].slice(0, maxEntries);
  try {
    localStorage.setItem(storageKey, JSON.stringify(ids));
  } catch {
    // Without storage the order doesn't change.
  }
}
