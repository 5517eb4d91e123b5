import { AuthError } from './auth-error.ts';
import { isRecord } from './input.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** Whom a provider says a person is. */
export interface ExternalIdentity {
  provider: string;
  /** The person's id there, which never changes. */
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  /** What is kept, under GoTrue's names. */
  data: Record<string, unknown>;
}

const longest = 500;

/** Of an ID token or an answer about the person whose signature and issuer were checked. */
export function readClaims(
  { name, url }: ProviderSettings,
  claims: Readonly<Record<string, unknown>>,
): ExternalIdentity {
  const subject = readText(claims['sub']);
  if (subject === undefined) throw new AuthError(400, 'bad_jwt', 'Missing sub claim in id_token');
  const email = readText(claims['email'])?.toLowerCase();
  const isEmailVerified = email !== undefined && isVerified(claims);
  const fullName = readText(claims['name']);
  const picture = readText(claims['picture']);
  const userName = readText(claims['preferred_username']);
  const data = {
    iss: readText(claims['iss']) ?? url,
    sub: subject,
    provider_id: subject,
    name: fullName,
    full_name: fullName,
    user_name: userName,
    preferred_username: userName,
    picture,
    avatar_url: picture,
    email,
    email_verified: isEmailVerified,
    phone_verified: false,
  };
  return { provider: name, subject, email, isEmailVerified, data: withoutGaps(data) };
}

/** Microsoft says whether the address's domain is the tenant's in a claim of its own, as 1 or true. */
function isVerified(claims: Readonly<Record<string, unknown>>): boolean {
  const ofDomain = claims['xms_edov'];
  if (ofDomain !== undefined) return [true, 1, '1', 'true', 'True'].some((yes) => yes === ofDomain);
  return claims['email_verified'] === true || claims['email_verified'] === 'true';
}

function readText(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value !== '' && value.length <= longest;
  // What PostgreSQL cannot keep is left out, not refused: people do not choose their claims.
  return isText && value.isWellFormed() && !value.includes('\0') ? value : undefined;
}

function withoutGaps(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/** Of one that was kept as JSON between leaving and coming back. */
export function parseIdentity(value: unknown): ExternalIdentity {
  if (
    !isRecord(value) ||
    typeof value['provider'] !== 'string' ||
    typeof value['subject'] !== 'string' ||
    !isRecord(value['data'])
  ) {
    throw new Error('A kept identity is damaged.');
  }
  const { provider, subject, email, isEmailVerified, data } = value;
  return {
    provider,
    subject,
    email: typeof email === 'string' ? email : undefined,
    isEmailVerified: isEmailVerified === true,
    data,
  };
}
