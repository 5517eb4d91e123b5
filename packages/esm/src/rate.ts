/** So many at once from one address, and so many a minute after that. */
export interface RateLimit {
  /** False when the address has to wait. */
  take(address: string, now?: number): boolean;
}

const keptAddresses = 10_000;

export function createRateLimit(burst: number, perMinute: number): RateLimit {
  /** Address → what it may still do, and when that was so. Those that are full again are forgotten. */
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
      if (buckets.size > keptAddresses && oldest !== undefined) buckets.delete(oldest);
      return true;
    },
  };
}
