import { Refusal } from './answer.ts';
import { asPerson } from './backend.ts';

/** The account that a token stands for, as the auth server describes it. */
export interface Person {
  readonly id: string;
  /** Empty where there is none. */
  readonly email: string;
  /** Whether an authenticator is part of how they sign in. */
  readonly hasSecondFactor: boolean;
  /** All that the auth server tells. */
  readonly account: Readonly<Record<string, unknown>>;
}

/**
 * Throws a `Refusal` where the token or its session is over, and where the account has a second
 * factor that the token's session has not shown.
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

/** For changes that nobody should make at a computer that was left alone. */
const freshS = 600;

/**
 * Whether the session was proved anew just now: by whatever signs in, or by the second factor where
 * there is one. The token is one that the auth server has just accepted.
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

/** Nothing for what is no object. */
export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
