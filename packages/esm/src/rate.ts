/** Token bucket per IP address: a burst, then a number of requests per minute. */
export interface RateLimit {
  /** Takes a token. False when the address has none left. */
  take(address: string, now?: number): boolean;
}

const maxAddresses = 10_000;

export function createRateLimit(burst: number, perMinute: number): RateLimit {
  /**
   * IP address → tokens, and when they were counted. Beyond `maxAddresses` the least recently used
   * entry is removed.
   */
  const buckets = new Map<string, { tokens: number; at: number }>();
  const refill = (bucket: { tokens: number; at: number }, now: number) =>
    Math.min(burst, bucket.tokens + ((now - bucket.at) / 60_000) * perMinute);
  return {
    take(address, now = Date.now()) {
      const bucket = buckets.get(address) ?? { tokens: burst, at: now };
      const tokens = refill(bucket, now);
      if (tokens < 1) return false;
      buckets.delete(address);
      buckets.set(address, { tokens: tokens - 1, at: now });
      const [oldest] = buckets.keys();
      if (buckets.size > maxAddresses && oldest !== undefined) buckets.delete(oldest);
      return true;
    },
  };
}
