import { AuthError } from './auth-error.ts';

export interface RateLimit {
  /** Counts one use; throws a 429 with Retry-After when there were too many. */
  take(key: string): void;
  /** Takes the last use back: it turned out to be a rightful one. */
  giveBack(key: string): void;
}

/**
 * A bucket for each key holds `burst` uses and wins one back every `refillS` seconds. At most
 * `maxKeys` are kept; full buckets and then the oldest go first.
 */
export function createRateLimit(o: {
  burst: number;
  refillS: number;
  code: string;
  maxKeys?: number;
}): RateLimit {
  const buckets = new Map<string, { uses: number; at: number }>();
  const maxKeys = o.maxKeys ?? 50_000;
  const usesNow = (key: string) => {
    const bucket = buckets.get(key);
    if (bucket === undefined) return 0;
    return Math.max(0, bucket.uses - (Date.now() - bucket.at) / 1000 / o.refillS);
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
      if (uses + 1 > o.burst) throw tooMany(o.code, Math.ceil((uses + 1 - o.burst) * o.refillS));
      put(key, uses + 1);
    },
    giveBack: (key) => put(key, usesNow(key) - 1),
  };
}

function tooMany(code: string, retryAfterS: number): AuthError {
  return new AuthError(
    429,
    code,
    `For security purposes, you can only request this after ${retryAfterS} seconds.`,
    { retryAfterS },
  );
}

export type AuthLimits = ReturnType<typeof createAuthLimits>;

/** Per account first; per address generously, since a class shares one. */
export function createAuthLimits() {
  const request = 'over_request_rate_limit';
  const mail = 'over_email_send_rate_limit';
  return {
    /** Wrong passwords for one account from one address: ten at once, then two a minute. */
    wrongPassword: createRateLimit({ burst: 10, refillS: 30, code: request }),
    /** From everywhere: room enough that a stranger does not lock the owner out at once. */
    wrongPasswordAnywhere: createRateLimit({ burst: 60, refillS: 30, code: request }),
    wrongPasswordFromAddress: createRateLimit({ burst: 150, refillS: 2, code: request }),
    signUpFromAddress: createRateLimit({ burst: 100, refillS: 36, code: request }),
    anonymousFromAddress: createRateLimit({ burst: 30, refillS: 120, code: request }),
    /** Codes of an authenticator, for one person. */
    wrongFactorCode: createRateLimit({ burst: 10, refillS: 30, code: request }),
    refreshFromAddress: createRateLimit({ burst: 1800, refillS: 0.2, code: request }),
    /** Ways to a provider. */
    providerFromAddress: createRateLimit({ burst: 100, refillS: 10, code: request }),
    /** Links and codes that are none. */
    wrongLinkFromAddress: createRateLimit({ burst: 30, refillS: 10, code: request }),
    mailTo: createRateLimit({ burst: 1, refillS: 60, code: mail }),
    mailToInAnHour: createRateLimit({ burst: 10, refillS: 360, code: mail }),
    mailFromAddress: createRateLimit({ burst: 100, refillS: 36, code: mail }),
  };
}
