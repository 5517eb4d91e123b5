/**
 * Rate limit for log entries. A burst is sent at once, and so are entries at a moderate rate. Entries above
 * the rate wait, the newest are kept, and some are sent while the flood lasts. When it ends, the rest is
 * sent. P-22
 */
import type { ConsoleEntry } from '../../protocol.ts';

interface MadeEntry {
  entry: ConsoleEntry;
  /** Total length of its texts. */
  characters: number;
}

export interface ConsoleQueue {
  /** Queues an entry. `make` is called when it is sent, or never if too many follow. */
  push(isError: boolean, make: () => MadeEntry): void;
  /** Sends all waiting entries. */
  flush(): void;
  /** Drops all waiting entries, for `console.clear()`. */
  clear(): void;
}

interface ConsoleQueueOptions {
  send(entry: ConsoleEntry): void;
  onDropped(count: number): void;
}

const burst = 300;
const perSecond = 100;
/** Length of text that costs one token, so that long entries count for more. */
const charactersPerToken = 1_000;
const tickMs = 30;
/** Maximum number of entries sent per tick after a flood has ended. */
const perTick = 100;
/** Maximum number of entries waiting; equals the number that the app keeps. */
const maxWaiting = 1_000;
/** During a flood, waiting entries older than this are dropped. */
const maxAgeMs = 1_000;

interface Waiting {
  number: number;
  at: number;
  make: () => MadeEntry;
}

export function createConsoleQueue({ send, onDropped }: ConsoleQueueOptions): ConsoleQueue {
  let tokens = burst;
  let refilledAt = performance.now();
  let dropped = 0;
  let reportedAt = 0;
  let nextNumber = 0;
  /** Oldest first. Errors are only dropped in favor of other errors. */
  let logs: Waiting[] = [];
  let errors: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tickAt = 0;
  let numberAtTick = 0;

  const refill = (now: number) => {
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1000) * perSecond);
    refilledAt = now;
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
  const trim = (list: Waiting[], max: number) => {
    const over = list.length - max;
    if (over <= 0) return list;
    dropped += over;
    return list.slice(over);
  };
  const reportDropped = (now: number) => {
    if (dropped === 0) return;
    onDropped(dropped);
    dropped = 0;
    reportedAt = now;
  };
  const schedule = () => {
    if (timer !== undefined) return;
    [tickAt, numberAtTick] = [performance.now(), nextNumber];
    timer = setTimeout(tick, tickMs);
  };
  const tick = () => {
    timer = undefined;
    const now = performance.now();
    refill(now);
    const isIdle = nextNumber === numberAtTick;
    // A page that was blocked has logged everything at once.
    const wasBusy = now - tickAt > 5 * tickMs;
    if (!isIdle && !wasBusy)
      logs = trim(logs, logs.filter((each) => now - each.at <= maxAgeMs).length);
    for (let sent = 0; sent < perTick && count() > 0; sent += 1) {
      if (!isIdle && tokens < 1) break;
      sendOldest();
    }
    reportDropped(now);
    if (count() > 0) schedule();
  };

  return {
    push(isError, make) {
      const now = performance.now();
      refill(now);
      const number = nextNumber++;
      if (count() === 0 && tokens >= 1) return sendMade(make());
      (isError ? errors : logs).push({ number, at: now, make });
      // Trimmed in batches, so that a flood doesn't copy the list for each entry.
      if (logs.length > maxWaiting * 1.25) logs = trim(logs, maxWaiting);
      if (errors.length > maxWaiting * 1.25) errors = trim(errors, maxWaiting);
      // Sent at once if possible, because timers never fire while code doesn't return.
      if (tokens >= 1) sendOldest();
      if (now - reportedAt > 8 * tickMs) reportDropped(now);
      schedule();
    },
    flush() {
      logs = trim(logs, maxWaiting);
      while (count() > 0) sendOldest();
      reportDropped(performance.now());
    },
    clear() {
      [logs, errors, dropped] = [[], [], 0];
    },
  };
}
