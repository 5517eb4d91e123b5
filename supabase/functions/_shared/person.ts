import { Refusal } from './answer.ts';
import { asPerson } from './backend.ts';

/** The account of a token, as the auth server describes it. */
export interface Person {
  readonly id: string;
  /** Empty when the account has no email. */
  readonly email: string;
  /** Whether the account has two-factor authentication. */
  readonly hasSecondFactor: boolean;
  /** The complete response of the auth server. */
  readonly account: Readonly<Record<string, unknown>>;
}

/**
 * Finds the account of a token. Throws a `Refusal` when the token or its session has expired, and
 * when the account has two-factor authentication that the session has not completed.
 */
export async function findPerson(token: string): Promise<Person> {
  const answer = await asPerson(token).ask('/auth/v1/user');
  if (answer.status === 401 || answer.status === 403) throw new Refusal(401, 'session_expired');
  if (!answer.ok) throw new Refusal(503, 'backend_unreachable');
  const account = toRecord(await answer.json());
  const factors = Array.isArray(account['factors']) ? account['factors'].map(toRecord) : [];
  const hasSecondFactor = factors.some((factor) => factor['status'] === 'verified');
  if (hasSecondFactor && readClaims(token)['aal'] !== 'aal2') {
    throw new Refusal(403, 'second_factor_needed');
  }
  return {
    id: String(account['id']),
    email: typeof account['email'] === 'string' ? account['email'] : '',
    hasSecondFactor,
    account,
  };
}

/**
 * Seconds for which an authentication allows sensitive changes, so that nobody makes them on an
 * unattended computer.
 */
const freshS = 600;

/**
 * Whether the session was authenticated recently: by any method, or with MFA by the factor. The
 * token must be one that the auth server has just accepted.
 */
export function isProvedLately(token: string, { hasSecondFactor }: Person): boolean {
  const claims = readClaims(token);
  const methods = Array.isArray(claims['amr']) ? claims['amr'].map(toRecord) : [];
  const since = Date.now() / 1000 - freshS;
  return methods.some(({ method, timestamp }) => {
    const counts = hasSecondFactor ? method === 'totp' : true;
    return counts && Number(timestamp) > since;
  });
}

function readClaims(token: string): Record<string, unknown> {
  const [, part = ''] = token.split('.');
  const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );
  return toRecord(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Copies an object; empty for other values. */
export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
