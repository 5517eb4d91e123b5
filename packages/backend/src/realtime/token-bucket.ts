export interface Rate {
  burst: number;
  perSecond: number;
}

/** A token bucket with `burst` tokens that refills at `perSecond`. */
export interface TokenBucket {
  /** Takes a token; false when there is none. */
  take(): boolean;
  /** Whether the bucket is full, so that it can be dropped and recreated. */
  isFull(): boolean;
}

export function createTokenBucket({ burst, perSecond }: Rate): TokenBucket {
  let left = burst;
  let at = performance.now();
  const refill = () => {
    const now = performance.now();
    left = Math.min(burst, left + ((now - at) / 1_000) * perSecond);
    at = now;
  };
  return {
    take() {
      refill();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    isFull() {
      refill();
      return left >= burst;
    },
  };
}
