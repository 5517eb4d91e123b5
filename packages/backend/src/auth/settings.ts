import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { isRecord } from './input.ts';
import { parseProvider } from './provider-settings.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** What `supabase/config.toml` says about accounts; its own word stands beside each. */
export interface AuthSettings {
  /** enable_signup */
  readonly signUp: boolean;
  /** enable_anonymous_sign_ins */
  readonly anonymousSignIns: boolean;
  /** enable_manual_linking */
  readonly manualLinking: boolean;
  /** jwt_expiry, in seconds */
  readonly tokenLifetimeS: number;
  /** email.double_confirm_changes: the old mailbox has to agree to a new address too. */
  readonly doubleConfirmChanges: boolean;
  /** email.otp_length, in digits */
  readonly codeLength: number;
  /** email.otp_expiry: how long a mailed link or code is good, in seconds */
  readonly mailLifetimeS: number;
  /** mfa.max_enrolled_factors */
  readonly maxFactors: number;
  /** mfa.totp.enroll_enabled */
  readonly totpEnroll: boolean;
  /** mfa.totp.verify_enabled */
  readonly totpVerify: boolean;
  /** rate_limit.* */
  readonly limits: LimitSettings;
  /** external.*, those that are enabled */
  readonly providers: readonly ProviderSettings[];
}

/** How often; all but the first of one address. */
export interface LimitSettings {
  /** email_sent, in an hour, to everybody together */
  readonly mails: number;
  /** anonymous_users, in an hour */
  readonly anonymousSignIns: number;
  /** token_refresh, in five minutes */
  readonly refreshes: number;
  /** sign_in_sign_ups, in five minutes */
  readonly signIns: number;
  /** token_verifications, in five minutes */
  readonly verifications: number;
}

/** What a Supabase project has where its file says nothing. */
export const defaultAuthSettings: AuthSettings = {
  signUp: true,
  anonymousSignIns: false,
  manualLinking: false,
  tokenLifetimeS: 3600,
  doubleConfirmChanges: true,
  codeLength: 6,
  mailLifetimeS: 3600,
  maxFactors: 10,
  totpEnroll: false,
  totpVerify: false,
  // Mails: of a project that has a mail server of its own. Supabase's sends two.
  limits: { mails: 30, anonymousSignIns: 30, refreshes: 150, signIns: 30, verifications: 30 },
  providers: [],
};

const mostUses = 1_000_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `supabase/config.toml`. Throws, naming the setting, where a value is of the wrong kind. */
export async function readAuthSettings(file: string, env: Environment): Promise<AuthSettings> {
  return parseAuthSettings(parse(await readFile(file, 'utf8')), env);
}

export function parseAuthSettings(config: unknown, env: Environment): AuthSettings {
  const read = readerOf(config);
  const d = defaultAuthSettings;
  return {
    signUp: read.flag('enable_signup', d.signUp),
    anonymousSignIns: read.flag('enable_anonymous_sign_ins', d.anonymousSignIns),
    manualLinking: read.flag('enable_manual_linking', d.manualLinking),
    tokenLifetimeS: read.count('jwt_expiry', d.tokenLifetimeS, 604_800),
    doubleConfirmChanges: read.flag('email.double_confirm_changes', d.doubleConfirmChanges),
    codeLength: read.count('email.otp_length', d.codeLength, 10, 6),
    mailLifetimeS: read.count('email.otp_expiry', d.mailLifetimeS, 86_400),
    maxFactors: read.count('mfa.max_enrolled_factors', d.maxFactors, 100),
    totpEnroll: read.flag('mfa.totp.enroll_enabled', d.totpEnroll),
    totpVerify: read.flag('mfa.totp.verify_enabled', d.totpVerify),
    limits: {
      mails: read.count('rate_limit.email_sent', d.limits.mails, mostUses),
      anonymousSignIns: read.count(
        'rate_limit.anonymous_users',
        d.limits.anonymousSignIns,
        mostUses,
      ),
      refreshes: read.count('rate_limit.token_refresh', d.limits.refreshes, mostUses),
      signIns: read.count('rate_limit.sign_in_sign_ups', d.limits.signIns, mostUses),
      verifications: read.count('rate_limit.token_verifications', d.limits.verifications, mostUses),
    },
    providers: read
      .sections('external')
      .map(([name, section]) => parseProvider(name, section, env))
      .filter((provider) => provider !== undefined),
  };
}

/** Looks up `a.b` below `[auth]`. */
function readerOf(config: unknown) {
  const find = (name: string): unknown =>
    ['auth', ...name.split('.')].reduce<unknown>(
      (from, key) => (isRecord(from) ? from[key] : undefined),
      config,
    );
  return {
    flag(name: string, otherwise: boolean): boolean {
      const value = find(name) ?? otherwise;
      if (typeof value !== 'boolean') throw new Error(`auth.${name} must be true or false`);
      return value;
    },
    count(name: string, otherwise: number, most: number, least = 1): number {
      const value = find(name) ?? otherwise;
      const isCount = typeof value === 'number' && Number.isInteger(value);
      if (!isCount || value < least || value > most) {
        throw new Error(`auth.${name} must be a whole number from ${least} to ${most}`);
      }
      return value;
    },
    sections(name: string): [string, Record<string, unknown>][] {
      const value = find(name);
      if (!isRecord(value)) return [];
      return Object.entries(value).flatMap(([key, section]) =>
        isRecord(section) ? [[key, section]] : [],
      );
    },
  };
}
