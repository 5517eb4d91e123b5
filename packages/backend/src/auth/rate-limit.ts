import { createAllowance, type AllowanceForm } from '../allowance.ts';
import { AuthError } from './auth-error.ts';
import type { LimitSettings } from './settings.ts';

export interface RateLimit {
  /** Counts one use; throws a 429 with Retry-After when there were too many. */
  take(key: string): void;
  /** Takes the last use back: it turned out to be a rightful one. */
  giveBack(key: string): void;
}

/** An allowance of `burst` uses a key, whose refusal is a 429 with this code. */
export function createRateLimit({ code, ...o }: AllowanceForm & { code: string }): RateLimit {
  const allowance = createAllowance(o);
  return {
    take(key) {
      const waitS = allowance.take(key);
      if (waitS > 0) throw tooMany(code, waitS);
    },
    giveBack: (key) => allowance.giveBack(key),
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

/** Per account first, by counts of our own; per address as the settings say. */
export function createAuthLimits(settings: LimitSettings) {
  const request = 'over_request_rate_limit';
  const mail = 'over_email_send_rate_limit';
  const inFiveMinutes = (uses: number) =>
    createRateLimit({ burst: uses, refillS: 300 / uses, code: request });
  const inAnHour = (uses: number, code: string) =>
    createRateLimit({ burst: uses, refillS: 3600 / uses, code });
  return {
    /** Wrong passwords for one account from one address: ten at once, then two a minute. */
    wrongPassword: createRateLimit({ burst: 10, refillS: 30, code: request }),
    /** From everywhere: room enough that a stranger does not lock the owner out at once. */
    wrongPasswordAnywhere: createRateLimit({ burst: 60, refillS: 30, code: request }),
    wrongPasswordFromAddress: inFiveMinutes(settings.signIns),
    signUpFromAddress: inFiveMinutes(settings.signIns),
    anonymousFromAddress: inAnHour(settings.anonymousSignIns, request),
    /** Codes of an authenticator in one session: ten at once, then two a minute. */
    wrongFactorCode: createRateLimit({ burst: 10, refillS: 30, code: request }),
    /** For one account from one address, in sessions that have not completed the sign-in. */
    wrongFactorCodeFromAddress: createRateLimit({ burst: 20, refillS: 300, code: request }),
    /** For one account from all addresses at which it has no session that did. */
    wrongFactorCodeAnywhere: createRateLimit({ burst: 200, refillS: 30, code: request }),
    refreshFromAddress: inFiveMinutes(settings.refreshes),
    /** Ways to a provider. */
    providerFromAddress: createRateLimit({ burst: 100, refillS: 10, code: request }),
    /** Links and codes that are none. */
    wrongLinkFromAddress: inFiveMinutes(settings.verifications),
    mailTo: createRateLimit({ burst: 1, refillS: 60, code: mail }),
    mailToInAnHour: createRateLimit({ burst: 10, refillS: 360, code: mail }),
    mailFromAddress: inFiveMinutes(settings.signIns),
    /** A quarter, so that one address does not use up what all have together. */
    mailFromAddressInAnHour: inAnHour(Math.min(100, Math.ceil(settings.mails / 4)), mail),
    mailInAnHour: inAnHour(settings.mails, mail),
  };
}
