/** Rate limits with token buckets: each use takes a token, and tokens come back over time. */

/** Limit of a token bucket. `{ burst: 10, refillSeconds: 30 }`: ten at once, then two a minute. */
interface RateLimit {
  /** Number of tokens of a full bucket, with which it starts. */
  readonly burst: number;
  /** Seconds until a bucket has one more token, such as 1 / 250 for 250 tokens per second. */
  readonly refillSeconds: number;
}

/** A token bucket, for one client or object with a lifetime of its own. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #refilledAt = performance.now();

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** Takes a token; false when there is none. */
  tryConsume(): boolean {
    if (this.#refill() < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Puts back a token. */
  refund(): void {
    this.#tokens = Math.min(this.#limit.burst, this.#refill() + 1);
  }

  /** Seconds until there is a token, rounded up. 0 when there is one. */
  getWaitSeconds(): number {
    return Math.ceil(Math.max(0, 1 - this.#refill()) * this.#limit.refillSeconds);
  }

  /** Whether the bucket is full, so that it can be dropped and recreated. */
  isFull(): boolean {
    return this.#refill() >= this.#limit.burst;
  }

  /** Adds the tokens since the last call, and returns their number. */
  #refill(): number {
    const now = performance.now();
    const added = (now - this.#refilledAt) / 1_000 / this.#limit.refillSeconds;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + added);
    this.#refilledAt = now;
    return this.#tokens;
  }
}

/**
 * Returns the key that limits count an IP address by: the IPv4 address, or the first 64 bits of an
 * IPv6 address, because a client can use any address within its /64 network. Other text is returned
 * as it is.
 */
export function toRateLimitKey(address: string): string {
  if (!address.includes(':')) return address;
  const [start = '', end] = address.replace(/%.*$/, '').split('::');
  const head = start === '' ? [] : start.split(':');
  const tail = end === undefined || end === '' ? [] : end.split(':');
  const zeros = end === undefined ? 0 : 8 - head.length - tail.length - (end.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

/** Token buckets by key, such as an account or a network from `toRateLimitKey`. */
export interface RateLimiter {
  /**
   * Takes a token and returns 0, or takes none and returns the seconds until there is one, rounded
   * up.
   */
  consume(key: string): number;
  /** Puts back a token, for instance when the attempt turned out to be legitimate. */
  refund(key: string): void;
}

export interface RateLimiterOptions extends RateLimit {
  /** Maximum number of keys in memory. Full buckets are evicted first, then the oldest ones. */
  readonly maxKeys?: number;
}

/** Creates a rate limiter whose buckets all have the same limit. */
export function createRateLimiter({ maxKeys = 50_000, ...limit }: RateLimiterOptions): RateLimiter {
  /** Buckets that weren't full when they were last used, in the order of that use. */
  const buckets = new Map<string, TokenBucket>();
  const evict = () => {
    for (const [key, bucket] of buckets) if (bucket.isFull()) buckets.delete(key);
    for (const key of buckets.keys()) {
      if (buckets.size < maxKeys) return;
      buckets.delete(key);
    }
  };
  return {
    consume(key) {
      const bucket = buckets.get(key) ?? new TokenBucket(limit);
      if (!bucket.tryConsume()) return bucket.getWaitSeconds();
      buckets.delete(key);
      if (buckets.size >= maxKeys) evict();
      buckets.set(key, bucket);
      return 0;
    },
    refund(key) {
      const bucket = buckets.get(key);
      bucket?.refund();
      if (bucket?.isFull()) buckets.delete(key);
    },
  };
}
