/** The page to choose a new password. */
export const recoveryPath = '/auth/reset';

const key = 'vitrine:recovery';

/** Keeps this tab on `recoveryPath`, even after a reload, until `endRecovery`. */
export function startRecovery(): void {
  tryStorage((storage) => storage.setItem(key, 'begun'));
}

/** Called when the password was changed or the user canceled. */
export function endRecovery(): void {
  tryStorage((storage) => storage.removeItem(key));
}

export function isRecovering(): boolean {
  let isStarted = false;
  tryStorage((storage) => (isStarted = storage.getItem(key) !== null));
  return isStarted;
}

/** Without session storage, the tab can leave the page; everything else works. */
function tryStorage(use: (storage: Storage) => void): void {
  try {
    use(sessionStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
