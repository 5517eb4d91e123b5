const storageName = 'recent-commands';
const keptAtMost = 20;

/** The ids of what was chosen in the palette on this device, the latest first. */
export function readRecent(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageName) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    // Refused by the browser, or not written by us.
    return [];
  }
}

export function rememberRecent(id: string): void {
  const ids = [id, ...readRecent().filter((other) => other !== id)].slice(0, keptAtMost);
  try {
    localStorage.setItem(storageName, JSON.stringify(ids));
  } catch {
    // No storage: the order stays as it is.
  }
}
