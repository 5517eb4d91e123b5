import { isRecord } from '@vitrine/project';
import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';
import { parseProvider } from './providers/provider-settings.ts';
import type { ProviderSettings } from './providers/provider-settings.ts';

/** The `[auth]` section of `supabase/config.toml`. Each field names its setting. */
export interface AuthSettings {
  /** enable_signup */
  readonly isSignUpEnabled: boolean;
  /** enable_anonymous_sign_ins */
  readonly isAnonymousSignInEnabled: boolean;
  /** enable_manual_linking */
  readonly isManualLinkingEnabled: boolean;
  /** jwt_expiry, in seconds */
  readonly tokenLifetimeSeconds: number;
  /** email.double_confirm_changes: an email change must also be confirmed from the old mailbox. */
  readonly doubleConfirmChanges: boolean;
  /** email.otp_length, in digits */
  readonly codeLength: number;
  /** email.otp_expiry: lifetime of mailed links and codes, in seconds */
  readonly mailLifetimeSeconds: number;
  /** mfa.max_enrolled_factors */
  readonly maxFactors: number;
  /** mfa.totp.enroll_enabled */
  readonly isTotpEnrollEnabled: boolean;
  /** mfa.totp.verify_enabled */
  readonly isTotpVerifyEnabled: boolean;
  /** rate_limit.* */
  readonly limits: LimitSettings;
  /** external.*: the enabled providers */
  readonly providers: readonly ProviderSettings[];
}

/** Rate limits; all except `mails` are per IP address. */
export interface LimitSettings {
  /** email_sent: per hour, for the whole instance */
  readonly mails: number;
  /** anonymous_users: per hour */
  readonly anonymousSignIns: number;
  /** token_refresh: per five minutes */
  readonly refreshes: number;
  /** sign_in_sign_ups: per five minutes */
  readonly signIns: number;
  /** token_verifications: per five minutes */
  readonly verifications: number;
}

/** Supabase's defaults. */
export const defaultAuthSettings: AuthSettings = {
  isSignUpEnabled: true,
  isAnonymousSignInEnabled: false,
  isManualLinkingEnabled: false,
  tokenLifetimeSeconds: 3600,
  doubleConfirmChanges: true,
  codeLength: 6,
  mailLifetimeSeconds: 3600,
  maxFactors: 10,
  isTotpEnrollEnabled: false,
  isTotpVerifyEnabled: false,
  // `mails`: the limit of a project with custom SMTP. With Supabase's own mail server it is two.
  limits: { mails: 30, anonymousSignIns: 30, refreshes: 150, signIns: 30, verifications: 30 },
  providers: [],
};

const maxUses = 1_000_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads `supabase/config.toml`. Throws with the name of the setting when a value is invalid. */
export async function readAuthSettings(file: string, env: Environment): Promise<AuthSettings> {
  return parseAuthSettings(parse(await readFile(file, 'utf8')), env);
}

export function parseAuthSettings(config: unknown, env: Environment): AuthSettings {
  const read = createReader(config);
  const d = defaultAuthSettings;
  return {
    isSignUpEnabled: read.flag('enable_signup', d.isSignUpEnabled),
    isAnonymousSignInEnabled: read.flag('enable_anonymous_sign_ins', d.isAnonymousSignInEnabled),
    isManualLinkingEnabled: read.flag('enable_manual_linking', d.isManualLinkingEnabled),
    tokenLifetimeSeconds: read.count('jwt_expiry', d.tokenLifetimeSeconds, 604_800),
    doubleConfirmChanges: read.flag('email.double_confirm_changes', d.doubleConfirmChanges),
    codeLength: read.count('email.otp_length', d.codeLength, 10, 6),
    mailLifetimeSeconds: read.count('email.otp_expiry', d.mailLifetimeSeconds, 86_400),
    maxFactors: read.count('mfa.max_enrolled_factors', d.maxFactors, 100),
    isTotpEnrollEnabled: read.flag('mfa.totp.enroll_enabled', d.isTotpEnrollEnabled),
    isTotpVerifyEnabled: read.flag('mfa.totp.verify_enabled', d.isTotpVerifyEnabled),
    limits: {
      mails: read.count('rate_limit.email_sent', d.limits.mails, maxUses),
      anonymousSignIns: read.count(
        'rate_limit.anonymous_users',
        d.limits.anonymousSignIns,
        maxUses,
      ),
      refreshes: read.count('rate_limit.token_refresh', d.limits.refreshes, maxUses),
      signIns: read.count('rate_limit.sign_in_sign_ups', d.limits.signIns, maxUses),
      verifications: read.count('rate_limit.token_verifications', d.limits.verifications, maxUses),
    },
    providers: read
      .sections('external')
      .map(([name, section]) => parseProvider(name, section, env))
      .filter((provider) => provider !== undefined),
  };
}

/** Reads settings by their dotted name below `[auth]`. */
function createReader(config: unknown) {
  const find = (name: string): unknown =>
    ['auth', ...name.split('.')].reduce<unknown>(
      (from, key) => (isRecord(from) ? from[key] : undefined),
      config,
    );
  return {
    flag(name: string, fallback: boolean): boolean {
      const value = find(name) ?? fallback;
      if (typeof value !== 'boolean') throw new Error(`auth.${name} must be true or false`);
      return value;
    },
    count(name: string, fallback: number, max: number, min = 1): number {
      const value = find(name) ?? fallback;
      const isCount = typeof value === 'number' && Number.isInteger(value);
      if (!isCount || value < min || value > max) {
        throw new Error(`auth.${name} must be a whole number from ${min} to ${max}`);
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
