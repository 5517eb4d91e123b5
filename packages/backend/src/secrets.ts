import { isRecord } from '@vitrine/project';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint } from 'jose';
import { StartupError } from './startup-error.ts';

/** secrets.json can’t be used. */
export class SecretsError extends StartupError {
  constructor(message: string) {
    super(message);
    this.name = 'SecretsError';
  }
}

/** Secrets of this instance, created on the first start and stored in secrets.json. */
export interface Secrets {
  /** Public API key, included in every page. Grants no access by itself. */
  readonly publishableKey: string;
  /** API key that bypasses row-level security. Never leaves the server. */
  readonly secretKey: string;
  /** Signs access tokens (ES256). */
  readonly signingKey: SigningJwk;
  /** Earlier signing keys; tokens signed with them are valid until they expire. */
  readonly previousKeys: readonly RetiredJwk[];
  /** Password of the database roles authenticator and supabase_auth_admin. */
  readonly databasePassword: string;
  /** 32 bytes in base64url, from which other keys are derived. */
  readonly rootKey: string;
}

interface SigningJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
  readonly kid: string;
}

/** The public part of a key that is no longer used for signing. */
interface RetiredJwk extends Omit<SigningJwk, 'd'> {
  /** ISO 8601 */
  readonly retiredAt: string;
}
/** Name of the marker file in a data directory while a backup is restored into it. */
export const restoreMarkerName = 'restore-unfinished';

/**
 * Reads `dataDir/secrets.json`, or creates it (mode 0600) when it is missing. Throws a SecretsError
 * when the file is damaged: replacing it would sign everyone out, which is the operator's decision.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  if (existsSync(join(dataDir, restoreMarkerName))) {
    throw new SecretsError(
      `A restore into ${dataDir} didn’t finish. Delete the folder, then restore again.`,
    );
  }
  const file = join(dataDir, 'secrets.json');
  const found = await readIfExists(file);
  if (found !== undefined) return parseSecrets(found, file);
  await mkdir(dataDir, { recursive: true });
  await writeNewFile(file, `${JSON.stringify(await createSecrets(), null, 2)}\n`);
  // When two processes start at once, only one writes the file and both use it.
  return parseSecrets(await readFile(file, 'utf8'), file);
}

/**
 * Derives the key for a purpose, such as "refresh tokens". Keys of different purposes are
 * independent.
 */
export function deriveKey(secrets: Secrets, purpose: string): Uint8Array {
  const root = Buffer.from(secrets.rootKey, 'base64url');
  return new Uint8Array(hkdfSync('sha256', root, '', `vitrine: ${purpose}`, 32));
}

const weekMs = 604_800_000;

/**
 * Creates a new signing key; running processes use it after their next start. Removes keys that
 * were retired more than a week ago, as no token lives longer. Returns the new key's id.
 */
export async function rotateSigningKey(dataDir: string, now = new Date()): Promise<string> {
  const file = join(dataDir, 'secrets.json');
  const secrets = parseSecrets(await readFile(file, 'utf8'), file);
  const { d: _, ...retired } = secrets.signingKey;
  const previousKeys = [
    { ...retired, retiredAt: now.toISOString() },
    ...secrets.previousKeys.filter((key) => now.getTime() - Date.parse(key.retiredAt) < weekMs),
  ];
  const signingKey = await createSigningKey();
  const text = JSON.stringify({ ...secrets, signingKey, previousKeys }, null, 2);
  await rename(await writeTemporaryFile(file, `${text}\n`), file);
  return signingKey.kid;
}

async function createSigningKey(): Promise<SigningJwk> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y, d } = privateKey.export({ format: 'jwk' });
  if (x === undefined || y === undefined || d === undefined) {
    throw new Error('A new P-256 key has no coordinates.');
  }
  const key = { kty: 'EC', crv: 'P-256', x, y, d } as const;
  return { ...key, kid: await calculateJwkThumbprint(key) };
}

/** Creates new secrets, which are stored nowhere. */
export async function createSecrets(): Promise<Secrets> {
  return {
    publishableKey: `sb_publishable_${generateRandomText(24)}`,
    secretKey: `sb_secret_${generateRandomText(32)}`,
    signingKey: await createSigningKey(),
    previousKeys: [],
    databasePassword: generateRandomText(32),
    rootKey: generateRandomText(32),
  };
}

function generateRandomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a new file atomically: it is on disk before it gets its name, and never replaces an
 * existing one.
 */
async function writeNewFile(file: string, text: string): Promise<void> {
  const temporary = await writeTemporaryFile(file, text);
  try {
    await link(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(temporary);
  }
}

async function writeTemporaryFile(file: string, text: string): Promise<string> {
  const temporary = `${file}.${generateRandomText(6)}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

function parseSecrets(text: string, file: string): Secrets {
  const createError = (what: string) =>
    new SecretsError(
      `${file} is corrupted: ${what}. Restore it from a backup. Deleting it would sign everyone out.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw createError('it isn’t JSON');
  }
  const read = (from: unknown, name: string, pattern: RegExp): string => {
    const field: unknown = isRecord(from) ? from[name] : undefined;
    if (typeof field !== 'string' || !pattern.test(field))
      throw createError(`${name} is missing or invalid`);
    return field;
  };
  const key = isRecord(value) ? value['signingKey'] : undefined;
  const coordinate = /^[\w-]{43}$/;
  if (!isRecord(key) || key['kty'] !== 'EC' || key['crv'] !== 'P-256') {
    throw createError('signingKey is missing or invalid');
  }
  const signingKey: SigningJwk = {
    kty: 'EC',
    crv: 'P-256',
    x: read(key, 'x', coordinate),
    y: read(key, 'y', coordinate),
    d: read(key, 'd', coordinate),
    kid: read(key, 'kid', coordinate),
  };
  if (!isKeyPair(signingKey)) throw createError('signingKey isn’t a key pair');
  const retired: unknown = isRecord(value) ? (value['previousKeys'] ?? []) : [];
  if (!Array.isArray(retired)) throw createError('previousKeys isn’t a list');
  return {
    publishableKey: read(value, 'publishableKey', /^sb_publishable_[\w-]{20,}$/),
    secretKey: read(value, 'secretKey', /^sb_secret_[\w-]{40,}$/),
    signingKey,
    previousKeys: retired.map((previous: unknown) => ({
      kty: 'EC',
      crv: 'P-256',
      x: read(previous, 'x', coordinate),
      y: read(previous, 'y', coordinate),
      kid: read(previous, 'kid', coordinate),
      retiredAt: read(previous, 'retiredAt', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })),
    databasePassword: read(value, 'databasePassword', /^[\w-]{32,}$/),
    rootKey: read(value, 'rootKey', coordinate),
  };
}

/**
 * Node accepts any `d` with any `x` and `y`: only a signature shows whether they belong together.
 */
function isKeyPair(jwk: SigningJwk): boolean {
  const sample = Buffer.from('sample');
  const { d: _, ...publicJwk } = jwk;
  try {
    const signature = sign('sha256', sample, createPrivateKey({ key: { ...jwk }, format: 'jwk' }));
    const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' });
    return verify('sha256', sample, publicKey, signature);
  } catch {
    // Not a point on the curve. The cause may quote the key.
    return false;
  }
}
