import type { Heartbeat } from './heartbeat.ts';

/**
 * Time without edits before an unresponsive page is replaced, and the interval of later checks. The next
 * keystroke may hang the page again, and a new process for each keystroke would slow down typing.
 */
export const restartDebounceMs = 200;
/**
 * Silence after which a page that responded until the update counts as unresponsive. Longer than the limit for
 * one that was already silent, because it may just be busy with earlier work.
 */
const busyTimeoutMs = 1_000;
/** Margin over `unresponsiveMs` before the first check. */
const firstCheckMarginMs = 50;

/** Detects a page that is unresponsive with outdated code. Only removing its frame can stop that code (P-21). */
export interface Watchdog {
  isUnresponsive(): boolean;
  /**
   * Watches the page after an update. Calls `onUnresponsive`, debounced, if the page is unresponsive
   * with older code. Stops once the page no longer runs older code.
   */
  watch(): void;
  /** Stops watching, because there is another page or none. */
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

export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { heartbeat, unresponsiveMs, isOutdated, onUnresponsive } = options;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isUnresponsive = () => heartbeat.silentMs >= unresponsiveMs;
  const check = (sentAt: number) => {
    const { silentMs } = heartbeat;
    // An update sent after the silence began can't be the cause.
    const wasSilent = performance.now() - silentMs <= sentAt;
    if (!wasSilent && !isOutdated()) return;
    if (silentMs >= (wasSilent ? unresponsiveMs : busyTimeoutMs)) onUnresponsive();
    else timer = setTimeout(check, restartDebounceMs, sentAt);
  };
  return {
    isUnresponsive,
    watch() {
      clearTimeout(timer);
      timer = setTimeout(
        check,
        isUnresponsive() ? restartDebounceMs : unresponsiveMs + firstCheckMarginMs,
        performance.now(),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
