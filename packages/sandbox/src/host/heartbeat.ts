import { limits } from '@vitrine/project';

export interface Heartbeat {
  /** Starts pinging a new document. */
  start(): void;
  /** Records a pong. */
  onPong(): void;
  /** Stops pinging while a dialog is open or the document unloads, when silence means nothing. */
  pause(): void;
  /** Milliseconds since the oldest unanswered ping; 0 if there is none. */
  readonly silentMs: number;
  close(): void;
}

const pingIntervalMs = 250;

/**
 * Pings the document while the app's page is visible. A document that waits for the network still
 * responds; one whose code doesn't return can't. P-20
 */
export function createHeartbeat(o: {
  sendPing(): void;
  onUnresponsive(): void;
  onResponsive(): void;
}): Heartbeat {
  let pingedAt: number | undefined;
  let isUnresponsive = false;
  let timer: ReturnType<typeof setInterval> | undefined;
  const measureSilence = () => (pingedAt === undefined ? 0 : performance.now() - pingedAt);

  const tick = () => {
    if (pingedAt === undefined) {
      // Browsers throttle timers of hidden pages, including the frame's.
      if (document.hidden) return;
      pingedAt = performance.now();
      o.sendPing();
    } else if (!isUnresponsive && measureSilence() >= limits.unresponsiveMs) {
      isUnresponsive = true;
      o.onUnresponsive();
    }
  };
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    pingedAt = undefined;
  };

  return {
    start() {
      pause();
      isUnresponsive = false;
      timer = setInterval(tick, pingIntervalMs);
      tick();
    },
    onPong() {
      pingedAt = undefined;
      if (!isUnresponsive) return;
      isUnresponsive = false;
      o.onResponsive();
    },
    pause,
    get silentMs() {
      return measureSilence();
    },
    close: pause,
  };
}
