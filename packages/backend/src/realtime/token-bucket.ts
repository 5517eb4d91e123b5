export interface Rate {
  burst: number;
  perSecond: number;
}

/** Holds `burst` uses and wins back `perSecond` of them. */
export interface TokenBucket {
  /** Takes one use; false where there is none. */
  take(): boolean;
  /** Whether nothing is taken, so that a new one would be the same. */
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
