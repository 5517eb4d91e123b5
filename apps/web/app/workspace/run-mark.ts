import type { PreviewState } from '@vitrine/sandbox/host';

/** A page counts as alive once it has answered a few times after it was painted. */
const aliveAfterMs = 750;

/**
 * A mark on the device from before a run begins until its page has painted and gone on for a while.
 * A tab that is left in order takes it away, unless what ran does not answer; one that the run froze
 * or brought down cannot. The project then opens without running. A page that loads slowly is left
 * like any other. An edit is marked where a loop would freeze the app too; elsewhere the app sees the
 * page stall, and marks that.
 */
export class RunMark {
  readonly #name: string;
  readonly #marksEdits: boolean;
  /** What ran last did not answer, until it does or another run begins; ending it is no answer. */
  #isStalled: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | undefined;

  /**
   * `isLeft`: a mark is there, and nothing runs before somebody says so. `sharesProcess`: what runs can
   * freeze this page.
   */
  constructor(key: string, { isLeft, sharesProcess }: { isLeft: boolean; sharesProcess: boolean }) {
    this.#name = markName(key);
    this.#isStalled = isLeft;
    this.#marksEdits = sharesProcess;
    addEventListener('pagehide', this.#leave);
    // Says to other tabs that this one is there, so that they do not take its mark for a dead one's.
    const isOver = new Promise<void>((resolve) => (this.#release = resolve));
    void navigator.locks?.request(this.#name, { mode: 'shared' }, () => isOver);
  }

  /** True where the last run began on this device and its tab ended before the run answered. */
  static async isLeft(key: string): Promise<boolean> {
    try {
      if (localStorage.getItem(markName(key)) === null) return false;
    } catch {
      // A device that keeps nothing remembers nothing.
      return false;
    }
    const locks = await navigator.locks?.query();
    return !locks?.held?.some(({ name }) => name === markName(key));
  }

  /** The run has come this far. */
  follow(status: PreviewState['status']): void {
    if (status === 'updating' && !this.#marksEdits) return;
    clearTimeout(this.#timer);
    this.#isStalled = status === 'stalled' || (status === 'stopped' && this.#isStalled);
    if (status === 'starting' || status === 'updating' || status === 'stalled') this.#put();
    else if (status === 'running') this.#timer = setTimeout(this.#takeAway, aliveAfterMs);
    else this.#leave();
  }

  close(): void {
    removeEventListener('pagehide', this.#leave);
    clearTimeout(this.#timer);
    this.#leave();
    this.#release?.();
  }

  #put(): void {
    try {
      localStorage.setItem(this.#name, '');
    } catch {
      // The run goes on without.
    }
  }

  readonly #leave = (): void => {
    if (!this.#isStalled) this.#takeAway();
  };

  readonly #takeAway = (): void => {
    try {
      localStorage.removeItem(this.#name);
    } catch {
      // It was never put there.
    }
  };
}

/** What the mark is kept under on the device. */
export function markName(key: string): string {
  return `vitrine run ${key}`;
}
