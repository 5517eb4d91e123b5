import { SignJWT, errors, jwtVerify, type JWTPayload } from 'jose';
import { storageLimits } from './limits.ts';
import { StorageError, invalidRequest } from './storage-error.ts';

/** Claims of a signed URL, which allows reading or writing one object (`bucket/name`). */
interface SignedUrlClaims {
  scope: 'download' | 'upload';
  url: string;
  /** Owner of an uploaded object. */
  owner?: string | null;
  upsert?: boolean;
  /** Image transformation, as JSON. */
  transformations?: string;
}

export interface UrlSigner {
  sign(grant: SignedUrlClaims, lifetimeSeconds: number): Promise<string>;
  /** Throws a StorageError unless the token is valid and for this scope and object. */
  verify(token: string, expected: Pick<SignedUrlClaims, 'scope' | 'url'>): Promise<SignedUrlClaims>;
}

/** Creates a signer with its own key, so that its tokens and other tokens cannot be confused. */
export function createUrlSigner(key: Uint8Array): UrlSigner {
  return {
    sign(grant, lifetimeSeconds) {
      const nowSeconds = Math.floor(Date.now() / 1000);
      return new SignJWT({ ...grant })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + lifetimeSeconds)
        .sign(key);
    },
    async verify(token, { scope, url }) {
      const payload = await verifyJwt(token, key);
      if (payload['scope'] !== scope)
        throw createInvalidSignatureError(`Token is not scoped for ${scope}`);
      if (payload['url'] !== url) throw createInvalidSignatureError('Invalid signature');
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

async function verifyJwt(token: string, key: Uint8Array): Promise<JWTPayload> {
  if (token === '') throw invalidRequest("querystring must have required property 'token'");
  if (token.length > 4 * storageLimits.maxNameLength)
    throw createInvalidJwtError('The token is too long');
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['exp', 'url', 'scope'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw createInvalidJwtError(error.message);
    throw error;
  }
}

function createInvalidJwtError(message: string): StorageError {
  return new StorageError(400, 'InvalidJWT', message);
}

function createInvalidSignatureError(message: string): StorageError {
  return new StorageError(400, 'InvalidSignature', message);
}
