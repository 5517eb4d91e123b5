import type { Heartbeat } from './heartbeat.ts';

/** Notices a page that hangs when its code changes: only being taken away ends it. P-21 */
export interface Watchdog {
  isHung(): boolean;
  /** Something is to be shown: calls `onHung` where the page hangs, now or in a moment. */
  expectAnswer(): void;
  close(): void;
}

export interface WatchdogOptions {
  heartbeat: Pick<Heartbeat, 'silentMs'>;
  /** A page is given up after so long without an answer. */
  patienceMs: number;
  onHung(): void;
}

export function createWatchdog({ heartbeat, patienceMs, onHung }: WatchdogOptions): Watchdog {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isHung = () => heartbeat.silentMs >= patienceMs;
  return {
    isHung,
    expectAnswer() {
      clearTimeout(timer);
      if (isHung()) onHung();
      else timer = setTimeout(() => isHung() && onHung(), patienceMs + 50);
    },
    close: () => clearTimeout(timer),
  };
}
