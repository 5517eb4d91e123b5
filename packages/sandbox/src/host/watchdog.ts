import type { Heartbeat } from './heartbeat.ts';

/**
 * Time without edits before an unresponsive page is replaced. What the user types may hang again, and a new
 * process for each keystroke would slow down the typing.
 */
export const quietMs = 200;
/** Silence of a page that was responsive when it got the update; it may only be slow with earlier work. */
const slowMs = 1_000;

/** Detects a page that is unresponsive with outdated code. Only removing its frame ends that code. P-21 */
export interface Watchdog {
  isHung(): boolean;
  /**
   * Watches the page after an update. Calls `onHung`, debounced, if the page is unresponsive with older
   * code. Stops once the page has finished everything older, however long that takes.
   */
  expectAnswer(): void;
  /** Stops watching: there is another page, or none. */
  rest(): void;
}

export interface WatchdogOptions {
  heartbeat: Pick<Heartbeat, 'silentMs'>;
  /** Silence after which a page that was already silent before the update counts as unresponsive. */
  unresponsiveMs: number;
  /** Whether the page may still be running code older than the update. */
  isBehind(): boolean;
  onHung(): void;
}

export function createWatchdog(o: WatchdogOptions): Watchdog {
  const { heartbeat, unresponsiveMs, isBehind, onHung } = o;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isHung = () => heartbeat.silentMs >= unresponsiveMs;
  const check = (sentAt: number) => {
    const { silentMs } = heartbeat;
    // An update sent after the silence began can't be the cause.
    const wasSilent = performance.now() - silentMs <= sentAt;
    if (!wasSilent && !isBehind()) return;
    if (silentMs >= (wasSilent ? unresponsiveMs : slowMs)) onHung();
    else timer = setTimeout(check, quietMs, sentAt);
  };
  return {
    isHung,
    expectAnswer() {
      clearTimeout(timer);
      timer = setTimeout(check, isHung() ? quietMs : unresponsiveMs + 50, performance.now());
    },
    rest: () => clearTimeout(timer),
  };
}
