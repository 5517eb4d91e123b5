/** How often something may be done under a key: by an account, from an address. */
export interface Allowance {
  /** Counts one use and gives 0; or counts none and gives the whole seconds to wait. */
  take(key: string): number;
  /** Takes the last use back: it turned out to be a rightful one. */
  giveBack(key: string): void;
}

export interface AllowanceForm {
  /** Uses at once. */
  burst: number;
  /** Seconds after which one more use is won back. */
  refillS: number;
  /** At most so many keys are kept; those with all their uses and then the oldest go first. */
  maxKeys?: number;
}

export function createAllowance({ burst, refillS, maxKeys = 50_000 }: AllowanceForm): Allowance {
  const buckets = new Map<string, { uses: number; at: number }>();
  const usesNow = (key: string) => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return 0;
    return Math.max(0, bucket.uses - (Date.now() - bucket.at) / 1000 / refillS);
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
    take(key) {
      const uses = usesNow(key);
      if (uses + 1 > burst) return Math.max(1, Math.ceil((uses + 1 - burst) * refillS));
      put(key, uses + 1);
      return 0;
    },
    giveBack: (key) => put(key, usesNow(key) - 1),
  };
}
