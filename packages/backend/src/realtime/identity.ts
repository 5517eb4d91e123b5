import type { TokenKeys } from '../auth/keys.ts';
import type { Caller, DatabaseRole } from '../rest/index.ts';

/** The user in a channel: from the API key that opened the socket, or from an access token. */
export interface SocketIdentity {
  readonly role: DatabaseRole;
  /** Claims as policies read them: JSON. */
  readonly claims: string;
  /** Account whose limits apply. */
  readonly account: string;
  /** Expiry of the token, as a timestamp in milliseconds; undefined for API keys. */
  readonly expiresAt: number | undefined;
}

/** An invalid token; the message is sent to the client. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TokenError';
  }
}

/** How a socket was opened: the role of its API key, and the client's IP address. */
export interface SocketCredentials {
  keyRole: 'anon' | 'service_role';
  clientIp: string;
}

/**
 * Identifies the user of a token. Without one, or with an API key in its place as supabase-js sends
 * it, the user is that of the credentials which opened the socket. Throws a TokenError.
 */
export async function identifyToken(
  keys: Pick<TokenKeys, 'verify'>,
  { keyRole, clientIp }: SocketCredentials,
  token: string | undefined,
): Promise<SocketIdentity> {
  if (token === undefined || token === '' || token.startsWith('sb_')) {
    return identifyCaller({ role: keyRole, claims: { role: keyRole } }, clientIp);
  }
  try {
    const claims = await keys.verify(token);
    return identifyCaller({ role: claims.role, claims }, clientIp);
  } catch (error) {
    const isExpired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
    // jose's messages for other errors may quote the token.
    throw new TokenError(
      isExpired ? 'InvalidJWTToken: Token has expired' : 'InvalidJWTToken: The token is not valid',
    );
  }
}

export function identifyCaller({ role, claims }: Caller, clientIp: string): SocketIdentity {
  const { sub, exp } = claims;
  return {
    role,
    claims: JSON.stringify(claims),
    account: typeof sub === 'string' ? sub : `${role} ${clientIp}`,
    expiresAt: typeof exp === 'number' ? exp * 1_000 : undefined,
  };
}
