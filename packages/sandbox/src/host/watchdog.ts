import type { Heartbeat } from './heartbeat.ts';

/**
 * Time without edits before an unresponsive page is replaced. What the user types may hang again, and a new
 * process for each keystroke would slow down the typing.
 */
export const restartDebounceMs = 200;
/** Silence of a page that was responsive when it got the update; it may only be slow with earlier work. */
const slowMs = 1_000;

/** Detects a page that is unresponsive with outdated code. Only removing its frame ends that code. P-21 */
export interface Watchdog {
  isUnresponsive(): boolean;
  /**
   * Watches the page after an update. Calls `onHung`, debounced, if the page is unresponsive with older
   * code. Stops once the page has finished everything older, however long that takes.
   */
  watch(): void;
  /** Stops watching: there is another page, or none. */
  stop(): void;
}

export interface WatchdogOptions {
  heartbeat: Pick<Heartbeat, 'silentMs'>;
  /** Silence after which a page that was already silent before the update counts as unresponsive. */
  unresponsiveMs: number;
  /** Whether the page may still be running code older than the update. */
  isOutdated(): boolean;
  onUnresponsive(): void;
}

export function createWatchdog(o: WatchdogOptions): Watchdog {
  const { heartbeat, unresponsiveMs, isOutdated, onUnresponsive } = o;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isHung = () => heartbeat.silentMs >= unresponsiveMs;
  const check = (sentAt: number) => {
    const { silentMs } = heartbeat;
    // An update sent after the silence began can't be the cause.
    const wasSilent = performance.now() - silentMs <= sentAt;
    if (!wasSilent && !isOutdated()) return;
    if (silentMs >= (wasSilent ? unresponsiveMs : slowMs)) onUnresponsive();
    else timer = setTimeout(check, restartDebounceMs, sentAt);
  };
  return {
    isUnresponsive: isHung,
    watch() {
      clearTimeout(timer);
      timer = setTimeout(
        check,
        isHung() ? restartDebounceMs : unresponsiveMs + 50,
        performance.now(),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
