export interface TokenBucketRate {
  burst: number;
  perSecond: number;
}

/** A token bucket with `burst` tokens that refills at `perSecond`. */
export interface TokenBucket {
  /** Takes a token; false when there is none. */
  takeToken(): boolean;
  /** Whether the bucket is full, so that it can be dropped and recreated. */
  isFull(): boolean;
}

export function createTokenBucket({ burst, perSecond }: TokenBucketRate): TokenBucket {
  let tokens = burst;
  let refilledAt = performance.now();
  const refill = () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - refilledAt) / 1_000) * perSecond);
    refilledAt = now;
  };
  return {
    takeToken() {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    isFull() {
      refill();
      return tokens >= burst;
    },
  };
}
