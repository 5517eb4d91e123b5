import type { PreviewState } from '@vitrine/sandbox/host';
import { Timer } from '../../schedule.ts';

/** A page that keeps responding for this long after its first paint is considered alive. */
const aliveAfterMs = 750;

/**
 * Marks a run on the device until its page has painted and responded for a while. A tab that closes
 * normally removes the marker, unless the page is unresponsive; a tab that the page froze or
 * crashed can't. If a marker is left, the project opens without running. Slow loading doesn't count
 * as a crash. Edits are marked only where an infinite loop would freeze the app too; elsewhere the
 * app detects the unresponsive page and sets the marker then.
 */
export class CrashMarker {
  readonly #name: string;
  readonly #marksEdits: boolean;
  /**
   * True once the page is unresponsive, until it responds or is run again. Stopping it doesn't
   * clear this.
   */
  #isUnresponsive: boolean;
  readonly #timer = new Timer();
  #releaseLock: (() => void) | undefined;

  /**
   * `isLeft`: a marker was found, so nothing runs until the user says so. `sharesProcess`: the page
   * can freeze this tab.
   */
  constructor(key: string, { isLeft, sharesProcess }: { isLeft: boolean; sharesProcess: boolean }) {
    this.#name = getCrashMarkerKey(key);
    this.#isUnresponsive = isLeft;
    this.#marksEdits = sharesProcess;
    addEventListener('pagehide', this.#removeIfResponsive);
    // Holds a lock so that other tabs don't take this tab's marker for a leftover.
    const released = new Promise<void>((resolve) => (this.#releaseLock = resolve));
    void navigator.locks?.request(this.#name, { mode: 'shared' }, () => released);
  }

  /**
   * True if the last run on this device was never marked as finished and no open tab is running it.
   */
  static async exists(key: string): Promise<boolean> {
    try {
      if (localStorage.getItem(getCrashMarkerKey(key)) === null) return false;
    } catch {
      // Storage is denied, so there are no markers.
      return false;
    }
    const locks = await navigator.locks?.query();
    return !locks?.held?.some(({ name }) => name === getCrashMarkerKey(key));
  }

  /** Called with each status of the preview. */
  onStatus(status: PreviewState['status']): void {
    if (status === 'updating' && !this.#marksEdits) return;
    this.#timer.stop();
    this.#isUnresponsive =
      status === 'unresponsive' || (status === 'stopped' && this.#isUnresponsive);
    if (status === 'starting' || status === 'updating' || status === 'unresponsive') this.#set();
    else if (status === 'running') this.#timer.start(aliveAfterMs, this.#remove);
    else this.#removeIfResponsive();
  }

  close(): void {
    removeEventListener('pagehide', this.#removeIfResponsive);
    this.#timer.stop();
    this.#removeIfResponsive();
    this.#releaseLock?.();
  }

  #set(): void {
    try {
      localStorage.setItem(this.#name, '');
    } catch {
      // Storage is denied. The run continues without a marker.
    }
  }

  readonly #removeIfResponsive = (): void => {
    if (!this.#isUnresponsive) this.#remove();
  };

  readonly #remove = (): void => {
    try {
      localStorage.removeItem(this.#name);
    } catch {
      // Storage is denied, so there is no marker.
    }
  };
}

/** Storage key of the marker. */
export function getCrashMarkerKey(key: string): string {
  return `vitrine run ${key}`;
}
