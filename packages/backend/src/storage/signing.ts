import { SignJWT, errors, jwtVerify, type JWTPayload } from 'jose';
import { storageLimits } from './limits.ts';
import { StorageError, invalidRequest } from './storage-error.ts';

/** What an address that was signed allows: to read one object (`bucket/name`), or to write it. */
export interface Grant {
  scope: 'download' | 'upload';
  url: string;
  /** Whose an object becomes that is written. */
  owner?: string | null;
  upsert?: boolean;
  /** How an image is changed on the way. */
  transformations?: string;
}

export interface UrlSigner {
  sign(grant: Grant, lifetimeS: number): Promise<string>;
  /** Throws a StorageError unless the token is ours, not expired, and for this scope and object. */
  verify(token: string, wanted: Pick<Grant, 'scope' | 'url'>): Promise<Grant>;
}

/** Signs with a key of its own: no such token is good anywhere else, and no other is good here. */
export function createUrlSigner(key: Uint8Array): UrlSigner {
  return {
    sign(grant, lifetimeS) {
      const nowS = Math.floor(Date.now() / 1000);
      return new SignJWT({ ...grant })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt(nowS)
        .setExpirationTime(nowS + lifetimeS)
        .sign(key);
    },
    async verify(token, { scope, url }) {
      const payload = await readToken(token, key);
      if (payload['scope'] !== scope) throw badSignature(`Token is not scoped for ${scope}`);
      if (payload['url'] !== url) throw badSignature('Invalid signature');
      const { owner, transformations } = payload;
      return {
        scope,
        url,
        owner: typeof owner === 'string' ? owner : null,
        upsert: payload['upsert'] === true,
        ...(typeof transformations === 'string' ? { transformations } : {}),
      };
    },
  };
}

async function readToken(token: string, key: Uint8Array): Promise<JWTPayload> {
  if (token === '') throw invalidRequest("querystring must have required property 'token'");
  if (token.length > 4 * storageLimits.maxNameLength) throw badToken('The token is too long');
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['exp', 'url', 'scope'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw badToken(error.message);
    throw error;
  }
}

function badToken(message: string): StorageError {
  return new StorageError(400, 'InvalidJWT', message);
}

function badSignature(message: string): StorageError {
  return new StorageError(400, 'InvalidSignature', message);
}
