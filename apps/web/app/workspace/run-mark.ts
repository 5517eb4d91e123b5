import type { PreviewState } from '@vitrine/sandbox/host';

/*
 * A mark on the device while a run has not answered. A page that is left in order takes it away; one
 * that took the browser down with it cannot, and its project then opens without running.
 */

/** True where the last run of this preview began on this device and never ended. */
export function isMarked(key: string): boolean {
  try {
    return localStorage.getItem(name(key)) !== null;
  } catch {
    // A device that keeps nothing remembers nothing.
    return false;
  }
}

/** Sets the mark while the code is on its way or hangs, and takes it away otherwise. */
export function markRun(key: string, status: PreviewState['status']): void {
  const isOpen = status === 'starting' || status === 'updating' || status === 'stalled';
  try {
    if (isOpen) localStorage.setItem(name(key), '');
    else localStorage.removeItem(name(key));
  } catch {
    // The run goes on without.
  }
}

function name(key: string): string {
  return `vitrine run ${key}`;
}
