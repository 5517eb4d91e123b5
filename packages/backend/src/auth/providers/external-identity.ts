import { isRecord } from '@vitrine/project';
import { AuthError } from '../auth-error.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** The identity of a user as an external provider reports it. */
export interface ExternalIdentity {
  provider: string;
  /** The provider's id of the user; never changes. */
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  /** Identity data to store, in GoTrue's field names. */
  data: Record<string, unknown>;
}

const maxTextLength = 500;

/**
 * Reads the claims of an ID token or userinfo response whose signature and issuer were verified.
 */
export function parseIdentityClaims(
  { name, url }: ProviderSettings,
  claims: Readonly<Record<string, unknown>>,
): ExternalIdentity {
  const subject = readText(claims['sub']);
  if (subject === undefined) throw new AuthError(400, 'bad_jwt', 'Missing sub claim in id_token');
  const email = readText(claims['email'])?.toLowerCase();
  const isEmailVerified = email !== undefined && isEmailClaimVerified(claims);
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
  return { provider: name, subject, email, isEmailVerified, data: omitUndefined(data) };
}

/**
 * Microsoft reports whether the tenant owns the domain of the email in a claim of its own, as 1 or
 * true.
 */
function isEmailClaimVerified(claims: Readonly<Record<string, unknown>>): boolean {
  const edovClaim = claims['xms_edov'];
  if (edovClaim !== undefined)
    return [true, 1, '1', 'true', 'True'].some((yes) => yes === edovClaim);
  return claims['email_verified'] === true || claims['email_verified'] === 'true';
}

function readText(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value !== '' && value.length <= maxTextLength;
  // Text that PostgreSQL cannot store is dropped instead of rejected: users do not choose their
  // claims.
  return isText && value.isWellFormed() && !value.includes('\0') ? value : undefined;
}

function omitUndefined(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

/**
 * Parses an identity that was stored as JSON between the redirect to the provider and the callback.
 */
export function parseStoredIdentity(value: unknown): ExternalIdentity {
  if (
    !isRecord(value) ||
    typeof value['provider'] !== 'string' ||
    typeof value['subject'] !== 'string' ||
    !isRecord(value['data'])
  ) {
    throw new Error('A stored identity is malformed.');
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
