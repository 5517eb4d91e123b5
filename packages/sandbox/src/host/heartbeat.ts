import { limits } from '@vitrine/project';

export interface Heartbeat {
  /** Begins to ask a new document. */
  start(): void;
  /** The document answered. */
  heard(): void;
  /** A dialog is open, or a document is being left: silence means nothing. */
  pause(): void;
  /** Milliseconds since the oldest question without an answer; 0 when there is none. */
  readonly silentMs: number;
  close(): void;
}

const askEveryMs = 250;

/**
 * Asks the document for a sign of life while the page is visible. A document that waits for the
 * network still answers; one whose code does not return cannot. P-20
 */
export function createHeartbeat(o: { ask(): void; onStalled(): void; onBack(): void }): Heartbeat {
  let askedAt: number | undefined;
  let stalled = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const silence = () => (askedAt === undefined ? 0 : performance.now() - askedAt);

  const tick = () => {
    if (askedAt === undefined) {
      // Browsers slow the timers of hidden pages down, the frame's among them.
      if (document.hidden) return;
      askedAt = performance.now();
      o.ask();
    } else if (!stalled && silence() >= limits.stallMs) {
      stalled = true;
      o.onStalled();
    }
  };
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    askedAt = undefined;
  };

  return {
    start() {
      pause();
      stalled = false;
      timer = setInterval(tick, askEveryMs);
      tick();
    },
    heard() {
      askedAt = undefined;
      if (!stalled) return;
      stalled = false;
      o.onBack();
    },
    pause,
    get silentMs() {
      return silence();
    },
    close: pause,
  };
}
