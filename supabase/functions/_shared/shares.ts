import { Refusal } from './answer.ts';
import { toStream } from './streams.ts';

/** Slots for work that takes long, shared by accounts and addresses. */
export interface Shares {
  /**
   * Waits for a slot and returns the function that frees it. Throws a `Refusal` if that takes too
   * long: the client itself has too many, or others have them all.
   */
  acquire(client: string): Promise<() => void>;
}

interface ShareOptions {
  readonly slots: number;
  readonly slotsPerClient: number;
  /** Milliseconds to wait. A function must respond within ten seconds. */
  readonly maxWaitMs: number;
}

interface Waiting {
  readonly client: string;
  start(): void;
}

/** Requests that wait for a slot, in total. */
const maxWaiting = 100;

/** Creates shares. A free slot goes to the client that has the fewest, then to who waits longest. */
export function createShares({ slots, slotsPerClient, maxWaitMs }: ShareOptions): Shares {
  /** Slots in use by client. Clients without any have no entry. */
  const held = new Map<string, number>();
  const waiting: Waiting[] = [];
  let running = 0;

  const countHeld = (client: string) => held.get(client) ?? 0;

  function startNext(): void {
    const [next] = waiting
      .filter(({ client }) => countHeld(client) < slotsPerClient)
      .sort((a, b) => countHeld(a.client) - countHeld(b.client));
    if (next === undefined || running >= slots) return;
    waiting.splice(waiting.indexOf(next), 1);
    running += 1;
    held.set(next.client, countHeld(next.client) + 1);
    next.start();
    startNext();
  }

  function createRelease(client: string): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      running -= 1;
      if (countHeld(client) > 1) held.set(client, countHeld(client) - 1);
      else held.delete(client);
      startNext();
    };
  }

  return {
    acquire: (client) =>
      new Promise((resolve, reject) => {
        const item: Waiting = {
          client,
          start() {
            clearTimeout(timer);
            resolve(createRelease(client));
          },
        };
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(item), 1);
          const isOwn = countHeld(client) >= slotsPerClient;
          reject(isOwn ? new Refusal(429, 'rate_limited') : new Refusal(503, 'server_busy'));
        }, maxWaitMs);
        waiting.push(item);
        startNext();
        if (waiting.length <= maxWaiting) return;
        clearTimeout(timer);
        waiting.splice(waiting.indexOf(item), 1);
        reject(new Refusal(503, 'server_busy'));
      }),
  };
}

/**
 * What limits count an IP address by: the address, or the first 64 bits of an IPv6 address, since a
 * client can use all addresses of such a network.
 */
export function toRateLimitKey(address: string): string {
  if (!address.includes(':')) return address;
  const [start = '', end] = address.replace(/%.*$/, '').split('::');
  const head = start.split(':').filter((group) => group !== '');
  const tail = end?.split(':').filter((group) => group !== '') ?? [];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

interface PacedStreamOptions {
  /** The slowest that the stream may be read. */
  readonly minBytesPerSecond: number;
  /** Milliseconds of waiting for the reader after which the speed is checked. */
  readonly windowMs: number;
  /** Called once, when the stream has ended, was canceled, or was read too slowly. */
  onEnd(): void;
}

/** Creates a stream that ends with an error if it's read too slowly, so that its slot is free. */
export function createPacedStream(
  chunks: AsyncIterable<Uint8Array>,
  { minBytesPerSecond, windowMs, onEnd }: PacedStreamOptions,
): ReadableStream<Uint8Array> {
  const tooSlow = new AbortController();
  /** Bytes read and milliseconds of waiting for the reader since the last check. */
  let bytes = 0;
  let waitedMs = 0;
  /** Start of the current wait. Undefined while the source is read. */
  let waitingSince: number | undefined;
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    clearInterval(timer);
    onEnd();
  };
  const addWait = () => {
    const now = Date.now();
    if (waitingSince !== undefined) waitedMs += now - waitingSince;
    waitingSince = now;
  };
  const timer = setInterval(() => {
    if (waitingSince !== undefined) addWait();
    if (waitedMs < windowMs) return;
    if (bytes < (waitedMs / 1_000) * minBytesPerSecond) {
      tooSlow.abort(new Refusal(504, 'request_too_slow'));
      end();
    }
    bytes = 0;
    waitedMs = 0;
  }, windowMs / 4);
  async function* read() {
    try {
      for await (const chunk of chunks) {
        waitingSince = Date.now();
        yield chunk;
        addWait();
        waitingSince = undefined;
        bytes += chunk.byteLength;
      }
    } finally {
      end();
    }
  }
  return toStream(read(), { onCancel: end, signal: tooSlow.signal });
}
