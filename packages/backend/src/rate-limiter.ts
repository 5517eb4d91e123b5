/** A rate limiter with one token bucket per key, such as an account or an IP address. */
export interface RateLimiter {
  /**
   * Counts one use and returns 0, or counts nothing and returns the seconds to wait, rounded up.
   */
  consume(key: string): number;
  /** Refunds the last use, when the attempt turned out to be legitimate. */
  refund(key: string): void;
}

export interface RateLimiterOptions {
  /** Uses available at once. */
  burst: number;
  /** Seconds until one more use becomes available. */
  refillSeconds: number;
  /** Maximum number of keys in memory. Full buckets are evicted first, then the oldest ones. */
  maxKeys?: number;
}

export function createRateLimiter({
  burst,
  refillSeconds,
  maxKeys = 50_000,
}: RateLimiterOptions): RateLimiter {
  const buckets = new Map<string, { uses: number; at: number }>();
  const usesNow = (key: string) => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return 0;
    return Math.max(0, bucket.uses - (Date.now() - bucket.at) / 1000 / refillSeconds);
  };
  const put = (key: string, uses: number) => {
    buckets.delete(key);
    if (uses <= 0) return;
    if (buckets.size >= maxKeys) dropSome();
    buckets.set(key, { uses, at: Date.now() });
  };
  const dropSome = () => {
    for (const key of buckets.keys()) if (usesNow(key) === 0) buckets.delete(key);
    for (const key of buckets.keys()) {
      if (buckets.size < maxKeys) return;
      buckets.delete(key);
    }
  };
  return {
    consume(key) {
      const uses = usesNow(key);
      if (uses + 1 > burst) return Math.max(1, Math.ceil((uses + 1 - burst) * refillSeconds));
      put(key, uses + 1);
      return 0;
    },
    refund: (key) => put(key, usesNow(key) - 1),
  };
}
