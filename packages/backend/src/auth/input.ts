import { byteLength, validatePassword, limits, isRecord } from '@vitrine/project';
import { dictionary } from '@zxcvbn-ts/language-common';
import { AuthError, createValidationError } from './auth-error.ts';

/**
 * The 10,000 most common passwords, in lower case. The dictionary is sorted by frequency in leaks.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((password) => password.toLowerCase()),
);

export type AuthRequestBody = Record<string, unknown>;

/**
 * Reads a JSON object, whatever the content type says: clients differ, and cookies are never read.
 * Invalid UTF-8 is rejected: decoded, different bytes of a password would be the same U+FFFD.
 */
export async function readAuthRequestBody(request: Request): Promise<AuthRequestBody> {
  const bytes = await request.arrayBuffer();
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // Not JSON, or not text. The parser's message quotes the input, which may contain a password.
    throw new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
  }
  if (!isRecord(value)) throw new AuthError(400, 'bad_json', 'The request body must be an object');
  return value;
}

/**
 * Parses an email into lower case, as stored and compared. Only plain addresses: one @, no quotes,
 * no spaces.
 */
export function parseEmail(value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw createValidationError('An email address is required');
  }
  const email = value.trim().toLowerCase();
  const form = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)*$/;
  if (email.length > 254 || !form.test(email)) {
    throw new AuthError(
      400,
      'email_address_invalid',
      'Unable to validate email address: invalid format',
    );
  }
  return email;
}

/** Parses a password for signing in: any length. */
export function parsePassword(value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw createValidationError('A password is required');
  return value;
}

/** Parses a new password by the product's rules. bcrypt reads 72 bytes, hence the upper limit. */
export function parseNewPassword(value: unknown, account: { email: string; username?: string }) {
  const password = parsePassword(value);
  const problem = validatePassword(password, account, commonPasswords);
  if (problem === undefined) return password;
  if (problem === 'password_not_text')
    throw createValidationError('Password has a character that cannot be used');
  if (problem === 'password_too_long') {
    throw createValidationError(`Password cannot be longer than ${limits.passwordMaxBytes} bytes`);
  }
  const reason = problem === 'password_too_short' ? 'length' : 'pwned';
  throw new AuthError(
    422,
    'weak_password',
    reason === 'length'
      ? `Password should be at least ${limits.passwordMin} characters`
      : 'Password is too easy to guess',
    { reasons: [reason] },
  );
}

export type UserData = Record<string, unknown>;

/**
 * Parses user metadata. It is part of every access token, hence the size limit. PostgreSQL's JSON
 * cannot store NUL or lone surrogates.
 */
export function parseUserData(value: unknown): UserData {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw createValidationError('data must be an object');
  const text = JSON.stringify(value);
  if (byteLength(text) > 4096) throw createValidationError('data must be at most 4096 bytes');
  if (getDepth(value) > 8) throw createValidationError('data is nested too deeply');
  if (/\\u0000|\\ud[89a-f]/i.test(text))
    throw createValidationError('data contains characters that cannot be stored');
  return value;
}

export interface PkceChallenge {
  challenge: string;
  method: 's256' | 'plain';
}

/**
 * Parses the PKCE challenge of the browser that requests a mail (RFC 7636, section 4.2). Without
 * one, anyone who sees the URL could take the session: then the mail contains only a code.
 */
export function parsePkceChallenge(body: AuthRequestBody): PkceChallenge | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = body;
  if (isMissing(challenge) && isMissing(method)) return undefined;
  if (typeof challenge !== 'string' || !/^[\w.~-]{43,128}$/.test(challenge)) {
    throw createValidationError(
      'code challenge has to be between 43 and 128 unreserved characters',
    );
  }
  const lower = typeof method === 'string' ? method.toLowerCase() : '';
  if (lower !== 's256' && lower !== 'plain')
    throw createValidationError('code challenge method is unknown');
  return { challenge, method: lower };
}

/**
 * Parses the challenge of a flow that ends in a URL. Throws without one: anyone who sees the URL
 * could take the session.
 */
export function requirePkceChallenge(body: AuthRequestBody): PkceChallenge {
  const challenge = parsePkceChallenge(body);
  if (challenge !== undefined) return challenge;
  throw createValidationError('This server only supports the PKCE flow: send a code_challenge');
}

/** Whether `value` is the id of a row; PostgreSQL throws for other text. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

/** Whether a field was omitted or left empty: clients differ. */
export function isMissing(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

function getDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(getDepth));
}
