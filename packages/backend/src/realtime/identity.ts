import type { TokenKeys } from '../auth/keys.ts';
import type { Caller, Role } from '../rest/index.ts';

/** Who is in a channel: the key that opened the socket, or a person's token. */
export interface Identity {
  readonly role: Role;
  /** The claims as policies read them: JSON. */
  readonly claims: string;
  /** Whose limits count. */
  readonly account: string;
  /** When the token ends, in milliseconds; keys do not. */
  readonly expiresAt: number | undefined;
}

/** A token that cannot be taken; the message is told. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenError';
  }
}

export interface Opener {
  keyRole: 'anon' | 'service_role';
  address: string;
}

/**
 * Who a token stands for; without one, or with a key in its place as supabase-js sends it, whoever
 * opened the socket. Throws a TokenError.
 */
export async function identify(
  keys: Pick<TokenKeys, 'verify'>,
  opener: Opener,
  token: string | undefined,
): Promise<Identity> {
  if (token === undefined || token === '' || token.startsWith('sb_')) {
    return identifyCaller(
      { role: opener.keyRole, claims: { role: opener.keyRole } },
      opener.address,
    );
  }
  try {
    const claims = await keys.verify(token);
    return identifyCaller({ role: claims.role, claims }, opener.address);
  } catch (error) {
    const isExpired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
    // What jose says of other tokens may quote them.
    throw new TokenError(
      isExpired ? 'InvalidJWTToken: Token has expired' : 'InvalidJWTToken: The token is not valid',
    );
  }
}

export function identifyCaller({ role, claims }: Caller, address: string): Identity {
  const { sub, exp } = claims;
  return {
    role,
    claims: JSON.stringify(claims),
    account: typeof sub === 'string' ? sub : `${role} ${address}`,
    expiresAt: typeof exp === 'number' ? exp * 1_000 : undefined,
  };
}
