import { createRateLimiter, type RateLimiterOptions } from '@vitrine/project';
import { AuthError } from './auth-error.ts';
import type { LimitSettings } from './settings.ts';

interface AuthRateLimiter {
  /** Counts one use; throws a 429 with Retry-After when the limit is exceeded. */
  consume(key: string): void;
  /** Refunds the last use, when the attempt turned out to be legitimate. */
  refund(key: string): void;
}

/** Creates a rate limiter that throws a 429 with this error code. */
export function createAuthRateLimiter({
  code,
  ...options
}: RateLimiterOptions & { code: string }): AuthRateLimiter {
  const rateLimiter = createRateLimiter(options);
  return {
    consume(key) {
      const waitSeconds = rateLimiter.consume(key);
      if (waitSeconds > 0) throw createTooManyRequestsError(code, waitSeconds);
    },
    refund: (key) => rateLimiter.refund(key),
  };
}

function createTooManyRequestsError(code: string, retryAfterSeconds: number): AuthError {
  return new AuthError(
    429,
    code,
    `For security purposes, you can only request this after ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}

export type AuthLimits = ReturnType<typeof createAuthLimits>;

/** Rate limits of /auth/v1: fixed limits per account, and limits per address from the settings. */
export function createAuthLimits(settings: LimitSettings) {
  const request = 'over_request_rate_limit';
  const mail = 'over_email_send_rate_limit';
  const inFiveMinutes = (uses: number) =>
    createAuthRateLimiter({ burst: uses, refillSeconds: 300 / uses, code: request });
  const inAnHour = (uses: number, code: string) =>
    createAuthRateLimiter({ burst: uses, refillSeconds: 3600 / uses, code });
  return {
    /** Wrong passwords for one account from one address: ten at once, then two a minute. */
    wrongPassword: createAuthRateLimiter({ burst: 10, refillSeconds: 30, code: request }),
    /**
     * Wrong passwords for one account from all addresses: high enough that a stranger does not lock
     * the owner out at once.
     */
    wrongPasswordAnywhere: createAuthRateLimiter({ burst: 60, refillSeconds: 30, code: request }),
    wrongPasswordFromAddress: inFiveMinutes(settings.signIns),
    signUpFromAddress: inFiveMinutes(settings.signIns),
    anonymousFromAddress: inAnHour(settings.anonymousSignIns, request),
    /** TOTP codes in one session: ten at once, then two a minute. */
    wrongFactorCode: createAuthRateLimiter({ burst: 10, refillSeconds: 30, code: request }),
    /** TOTP codes for one account from one address, in sessions pending MFA. */
    wrongFactorCodeFromAddress: createAuthRateLimiter({
      burst: 20,
      refillSeconds: 300,
      code: request,
    }),
    /** TOTP codes for one account from all addresses where it has no session at `aal2`. */
    wrongFactorCodeAnywhere: createAuthRateLimiter({
      burst: 200,
      refillSeconds: 30,
      code: request,
    }),
    refreshFromAddress: inFiveMinutes(settings.refreshes),
    /** Redirects to a provider. */
    providerFromAddress: createAuthRateLimiter({ burst: 100, refillSeconds: 10, code: request }),
    /** Invalid links and codes. */
    wrongLinkFromAddress: inFiveMinutes(settings.verifications),
    mailTo: createAuthRateLimiter({ burst: 1, refillSeconds: 60, code: mail }),
    mailToInAnHour: createAuthRateLimiter({ burst: 10, refillSeconds: 360, code: mail }),
    mailFromAddress: inFiveMinutes(settings.signIns),
    /** A quarter of the instance's limit, so that one address cannot use it up. */
    mailFromAddressInAnHour: inAnHour(Math.min(100, Math.ceil(settings.mails / 4)), mail),
    mailInAnHour: inAnHour(settings.mails, mail),
  };
}
