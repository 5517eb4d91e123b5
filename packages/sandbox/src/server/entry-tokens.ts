/**
 * How a private project is read without the app's session. The app mints a token for one preview
 * origin; the preview exchanges it, once, for a cookie of that origin alone. Both hold the person's
 * access token, encrypted, so that the database decides what may be read and no service key is used.
 */
import { EncryptJWT, jwtDecrypt, errors } from 'jose';
import { createHash, randomUUID } from 'node:crypto';

/** What a token opens, and for whom. */
export interface Entry {
  key: string;
  origin: string;
  accessToken: string;
  /** When the access token ends, in milliseconds since the epoch. */
  expiresAt: number;
}

export interface EntryTokens {
  mint(entry: Entry): Promise<string>;
  /** The entry of a token that has not been used, for this key and origin; uses it up. */
  exchange(token: string, key: string, origin: string): Promise<Entry | undefined>;
  /** The value of the cookie for an entry. */
  seal(entry: Entry): Promise<string>;
  open(value: string, key: string, origin: string): Promise<Entry | undefined>;
}

const entryLifeSeconds = 60;

export function createEntryTokens(secret: Uint8Array): EntryTokens {
  const encryptionKey = createHash('sha256')
    .update('vitrine preview entry')
    .update(secret)
    .digest();
  /** Ids of tokens that were exchanged, with when they would have ended; swept on each exchange. */
  const used = new Map<string, number>();

  const encrypt = (use: 'enter' | 'cookie', entry: Entry, expiresAt: number) =>
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
      encrypt('enter', entry, Math.min(entry.expiresAt, Date.now() + entryLifeSeconds * 1000)),
    seal: (entry) => encrypt('cookie', entry, entry.expiresAt),
    async exchange(token, key, origin) {
      const found = await decrypt('enter', token, key, origin);
      sweep(used);
      if (!found || used.has(found.id)) return undefined;
      used.set(found.id, Date.now() + entryLifeSeconds * 1000);
      return found.entry;
    },
    open: async (value, key, origin) => (await decrypt('cookie', value, key, origin))?.entry,
  };
}

async function decryptClaims(token: string, key: Uint8Array, audience: string) {
  try {
    return (await jwtDecrypt(token, key, { audience, keyManagementAlgorithms: ['dir'] })).payload;
  } catch (error) {
    // Forged, cut, expired or meant for another origin: all the same to the caller.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function sweep(used: Map<string, number>): void {
  const now = Date.now();
  for (const [id, endsAt] of used) if (endsAt < now) used.delete(id);
}
