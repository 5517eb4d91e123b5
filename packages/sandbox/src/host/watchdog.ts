import type { Heartbeat } from './heartbeat.ts';

/**
 * A page that hangs is made anew once its code has not changed for so long: what one types may hang
 * again, and a new process for each letter would take the time that the typing wants.
 */
export const quietMs = 200;

/** Notices a page that hangs when its code changes: only being taken away ends it. P-21 */
export interface Watchdog {
  isHung(): boolean;
  /** Something is to be shown: calls `onHung` where the page hangs, in a moment without more of it. */
  expectAnswer(): void;
  /** Another page is there, or none: nothing is expected of the one before. */
  rest(): void;
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
      timer = setTimeout(() => isHung() && onHung(), isHung() ? quietMs : patienceMs + 50);
    },
    rest: () => clearTimeout(timer),
  };
}
