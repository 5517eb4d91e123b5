import type { Heartbeat } from './heartbeat.ts';

/**
 * A page that hangs is made anew once its code has not changed for so long: what one types may hang
 * again, and a new process for each letter would take the time that the typing wants.
 */
export const quietMs = 200;
/** Silence of a page that was alive when it was told: it may only be slow with what came before. */
const slowMs = 1_000;

/** Notices a page that hangs with code that has changed since: only being taken away ends it. P-21 */
export interface Watchdog {
  isHung(): boolean;
  /**
   * Something is to be shown. Calls `onHung`, in a moment without more of it, where the page hangs
   * with something older; looks until the page has nothing older left, however long that takes.
   */
  expectAnswer(): void;
  /** Another page is there, or none: nothing is expected of the one before. */
  rest(): void;
}

export interface WatchdogOptions {
  heartbeat: Pick<Heartbeat, 'silentMs'>;
  /** A page that was silent before it was told is given up after so long without an answer. */
  patienceMs: number;
  /** Whether the page may still be at work on something older than what is to be shown. */
  isBehind(): boolean;
  onHung(): void;
}

export function createWatchdog(o: WatchdogOptions): Watchdog {
  const { heartbeat, patienceMs, isBehind, onHung } = o;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isHung = () => heartbeat.silentMs >= patienceMs;
  const look = (toldAt: number) => {
    const { silentMs } = heartbeat;
    // What it was told after that cannot be why.
    const wasSilent = performance.now() - silentMs <= toldAt;
    if (!wasSilent && !isBehind()) return;
    if (silentMs >= (wasSilent ? patienceMs : slowMs)) onHung();
    else timer = setTimeout(look, quietMs, toldAt);
  };
  return {
    isHung,
    expectAnswer() {
      clearTimeout(timer);
      timer = setTimeout(look, isHung() ? quietMs : patienceMs + 50, performance.now());
    },
    rest: () => clearTimeout(timer),
  };
}
