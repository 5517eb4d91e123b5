import { SignJWT, importJWK, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import type { Secrets } from '../secrets.ts';

/** `aal2` when a factor was verified in the session. */
export type AssuranceLevel = 'aal1' | 'aal2';

/** Claims of an access token, in GoTrue's format. */
export interface AccessClaims extends JWTPayload {
  sub: string;
  session_id: string;
  role: 'authenticated';
}

export interface TokenKeys {
  readonly issuer: string;
  /** Lifetime of an access token, in seconds. */
  readonly lifetimeSeconds: number;
  sign(claims: JWTPayload & { sub: string }, issuedAtSeconds: number): Promise<string>;
  /** Throws jose's error unless `token` is a valid access token of this instance. */
  verify(token: string): Promise<AccessClaims>;
  /** The JSON Web Key Set of /.well-known/jwks.json. */
  readonly publicKeys: { keys: Record<string, string>[] };
}

const audience = 'authenticated';
/**
 * Longer than any token that is signed here: metadata is at most 4 KiB, the other claims are short.
 */
const maxTokenLength = 16_384;

export async function importKeys(
  { signingKey: jwk, previousKeys }: Pick<Secrets, 'signingKey' | 'previousKeys'>,
  { publicOrigin, lifetimeSeconds }: { publicOrigin: string; lifetimeSeconds: number },
): Promise<TokenKeys> {
  const { d: _, ...publicJwk } = jwk;
  const privateKey = await importJWK({ ...jwk }, 'ES256');
  const publicJwks = [publicJwk, ...previousKeys.map(({ retiredAt: _at, ...key }) => key)];
  const byId = new Map<string | undefined, Awaited<ReturnType<typeof importJWK>>>();
  for (const key of publicJwks) byId.set(key.kid, await importJWK({ ...key }, 'ES256'));
  const issuer = `${publicOrigin}/auth/v1`;
  const findKey = (header: { kid?: string }) => {
    const key = byId.get(header.kid);
    if (key === undefined) throw new Error('The token was signed with an unknown key.');
    return key;
  };
  return {
    issuer,
    lifetimeSeconds,
    publicKeys: { keys: publicJwks.map((key) => ({ ...key, alg: 'ES256', use: 'sig' })) },
    sign: (claims, issuedAtSeconds) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: jwk.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAtSeconds)
        .setExpirationTime(issuedAtSeconds + lifetimeSeconds)
        .sign(privateKey),
    async verify(token) {
      if (token.length > maxTokenLength) throw new Error('The token is too long.');
      const { payload } = await jwtVerify(token, findKey, {
        algorithms: ['ES256'],
        issuer,
        audience,
        requiredClaims: ['exp', 'iat', 'sub', 'session_id', 'role'],
      });
      if (!isAccessClaims(payload)) throw new Error('The token is not an access token.');
      return payload;
    },
  };
}

function isAccessClaims(payload: JWTPayload): payload is AccessClaims {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const { sub, session_id: session, role } = payload;
  return (
    role === 'authenticated' &&
    typeof sub === 'string' &&
    uuid.test(sub) &&
    typeof session === 'string' &&
    uuid.test(session)
  );
}
