/** Where a new password is chosen. */
export const recoveryPath = '/auth/reset';

const key = 'vitrine:recovery';

/** From now on this tab stays at `recoveryPath`, also over a reload. */
export function beginRecovery(): void {
  remember((storage) => storage.setItem(key, 'begun'));
}

/** The password is changed, or the person cancelled. */
export function endRecovery(): void {
  remember((storage) => storage.removeItem(key));
}

export function isRecovering(): boolean {
  let begun = false;
  remember((storage) => (begun = storage.getItem(key) !== null));
  return begun;
}

/** A browser that refuses storage only loses the hold; the page itself works the same. */
function remember(use: (storage: Storage) => void): void {
  try {
    use(sessionStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
