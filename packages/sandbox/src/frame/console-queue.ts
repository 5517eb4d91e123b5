/**
 * Keeps what a page logs from flooding the app. A burst is sent at once, and so is what comes at a
 * moderate pace. What comes faster waits, and of that the newest is kept: as the flood ends it is all
 * sent, and until then a part of it. P-22
 */
import type { ConsoleEntry } from '../protocol.ts';

interface MadeEntry {
  entry: ConsoleEntry;
  /** Length of its texts. */
  characters: number;
}

export interface ConsoleQueue {
  /** `make` is called when the entry is sent, and not at all where too many follow it. */
  push(isError: boolean, make: () => MadeEntry): void;
  /** Sends all that waits. */
  flush(): void;
  /** Drops what waits, as `console.clear()` does. */
  clear(): void;
}

interface ConsoleQueueOptions {
  send(entry: ConsoleEntry): void;
  tellDropped(count: number): void;
}

const burst = 300;
const perSecond = 100;
/** Long entries count for more. */
const charactersPerToken = 1_000;
const tickMs = 30;
/** Of a flood that has ended, in one tick. */
const perTick = 100;
/** As many as the app keeps. */
const mostWaiting = 1_000;
/** While a flood goes on, what is shown of it is no older than this. */
const oldestMs = 1_000;

interface Waiting {
  number: number;
  at: number;
  make: () => MadeEntry;
}

export function createConsoleQueue({ send, tellDropped }: ConsoleQueueOptions): ConsoleQueue {
  let tokens = burst;
  let filledAt = performance.now();
  let dropped = 0;
  let toldAt = 0;
  let nextNumber = 0;
  /** Oldest first. Errors leave for other errors only. */
  let logs: Waiting[] = [];
  let errors: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tickAt = 0;
  let numberAtTick = 0;

  const fill = (now: number) => {
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
  };
  const count = () => logs.length + errors.length;
  const sendMade = ({ entry, characters }: MadeEntry) => {
    tokens -= 1 + characters / charactersPerToken;
    send(entry);
  };
  const sendOldest = () => {
    const [log, error] = [logs[0], errors[0]];
    const isLog = log !== undefined && (error === undefined || log.number < error.number);
    const next = isLog ? logs.shift() : errors.shift();
    if (next) sendMade(next.make());
  };
  const trim = (list: Waiting[], most: number) => {
    const over = list.length - most;
    if (over <= 0) return list;
    dropped += over;
    return list.slice(over);
  };
  const tell = (now: number) => {
    if (dropped === 0) return;
    tellDropped(dropped);
    dropped = 0;
    toldAt = now;
  };
  const schedule = () => {
    if (timer !== undefined) return;
    [tickAt, numberAtTick] = [performance.now(), nextNumber];
    timer = setTimeout(tick, tickMs);
  };
  const tick = () => {
    timer = undefined;
    const now = performance.now();
    fill(now);
    const hasRested = nextNumber === numberAtTick;
    // A page that was busy until now has logged all of it at once.
    const wasBusy = now - tickAt > 5 * tickMs;
    if (!hasRested && !wasBusy)
      logs = trim(logs, logs.filter((each) => now - each.at <= oldestMs).length);
    for (let sent = 0; sent < perTick && count() > 0; sent += 1) {
      if (!hasRested && tokens < 1) break;
      sendOldest();
    }
    tell(now);
    if (count() > 0) schedule();
  };

  return {
    push(isError, make) {
      const now = performance.now();
      fill(now);
      const number = nextNumber++;
      if (count() === 0 && tokens >= 1) return sendMade(make());
      (isError ? errors : logs).push({ number, at: now, make });
      // In strides, so that a flood does not copy the list for each of its entries.
      if (logs.length > mostWaiting * 1.25) logs = trim(logs, mostWaiting);
      if (errors.length > mostWaiting * 1.25) errors = trim(errors, mostWaiting);
      // Code that never returns lets no timer run.
      if (tokens >= 1) sendOldest();
      if (now - toldAt > 8 * tickMs) tell(now);
      schedule();
    },
    flush() {
      logs = trim(logs, mostWaiting);
      while (count() > 0) sendOldest();
      tell(performance.now());
    },
    clear() {
      [logs, errors, dropped] = [[], [], 0];
    },
  };
}
