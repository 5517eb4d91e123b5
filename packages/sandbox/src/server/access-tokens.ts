/**
 * Access to previews of private projects without the app's session cookie. The app mints a one-time token for a preview
 * origin; the preview exchanges it for a cookie of that origin. Both contain the user's access token, encrypted, so that
 * the database decides what may be read and no service key is used.
 */
import { EncryptJWT, jwtDecrypt, errors } from 'jose';
import { createHash, randomUUID } from 'node:crypto';

/** A preview that a token gives access to, and the user's access token. */
export interface PreviewAccess {
  key: string;
  origin: string;
  accessToken: string;
  /** Expiration of the access token, in milliseconds since the epoch. */
  expiresAt: number;
}

export interface AccessTokens {
  mint(entry: PreviewAccess): Promise<string>;
  /** Exchanges an unused token for its access data; undefined if it is used, invalid, or for another key or origin. */
  exchange(token: string, key: string, origin: string): Promise<PreviewAccess | undefined>;
  /** Encrypts access data as a cookie value. */
  encryptCookie(entry: PreviewAccess): Promise<string>;
  decryptCookie(value: string, key: string, origin: string): Promise<PreviewAccess | undefined>;
}

const tokenTtlSeconds = 60;

export function createAccessTokens(secret: Uint8Array): AccessTokens {
  const encryptionKey = createHash('sha256')
    .update('vitrine preview entry')
    .update(secret)
    .digest();
  /** Expiration of each exchanged token by id, in milliseconds since the epoch; expired ones are removed on each exchange. */
  const used = new Map<string, number>();

  const encrypt = (use: 'enter' | 'cookie', entry: PreviewAccess, expiresAt: number) =>
    new EncryptJWT({ use, key: entry.key, accessToken: entry.accessToken, until: entry.expiresAt })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(entry.origin)
      .setJti(randomUUID())
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .encrypt(encryptionKey);

  const decrypt = async (use: 'enter' | 'cookie', token: string, key: string, origin: string) => {
    const payload = await decryptClaims(token, encryptionKey, origin);
    if (!payload || payload['use'] !== use || payload['key'] !== key) return undefined;
    const { accessToken, until, jti } = payload;
    if (typeof accessToken !== 'string' || typeof until !== 'number' || !jti) return undefined;
    return { id: jti, entry: { key, origin, accessToken, expiresAt: until } };
  };

  return {
    mint: (entry) =>
      encrypt('enter', entry, Math.min(entry.expiresAt, Date.now() + tokenTtlSeconds * 1000)),
    encryptCookie: (entry) => encrypt('cookie', entry, entry.expiresAt),
    async exchange(token, key, origin) {
      const found = await decrypt('enter', token, key, origin);
      removeExpired(used);
      if (!found || used.has(found.id)) return undefined;
      used.set(found.id, Date.now() + tokenTtlSeconds * 1000);
      return found.entry;
    },
    decryptCookie: async (value, key, origin) =>
      (await decrypt('cookie', value, key, origin))?.entry,
  };
}

async function decryptClaims(token: string, key: Uint8Array, audience: string) {
  try {
    return (await jwtDecrypt(token, key, { audience, keyManagementAlgorithms: ['dir'] })).payload;
  } catch (error) {
    // Forged, truncated, expired or issued for another origin; the caller treats all alike.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function removeExpired(used: Map<string, number>): void {
  const now = Date.now();
  for (const [id, endsAt] of used) if (endsAt < now) used.delete(id);
}
