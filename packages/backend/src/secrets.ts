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

/** secrets.json cannot be used. `sentence` is meant for the person at the terminal. */
export class SecretsError extends Error {
  readonly sentence: string;

  constructor(sentence: string) {
    super(sentence);
    this.name = 'SecretsError';
    this.sentence = sentence;
  }
}

/** What this installation alone knows; made on the first start and kept in secrets.json. */
export interface Secrets {
  /** Named in every page: says which installation, proves nothing. */
  readonly publishableKey: string;
  /** Whoever has it passes row level security. Never leaves the server. */
  readonly secretKey: string;
  /** Signs access tokens (ES256). */
  readonly signingKey: SigningJwk;
  /** Signed before it; what they signed is good until it expires. */
  readonly previousKeys: readonly RetiredJwk[];
  /** Of the database roles authenticator and supabase_auth_admin. */
  readonly databasePassword: string;
  /** 32 bytes in base64url, from which keys for other purposes are derived. */
  readonly rootKey: string;
}

export interface SigningJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
  readonly kid: string;
}

/** The public part of a key that signs no more. */
export interface RetiredJwk extends Omit<SigningJwk, 'd'> {
  /** ISO 8601 */
  readonly retiredAt: string;
}
/** Lies in a data folder while a backup is restored into it. */
export const unfinishedRestore = 'restore-unfinished';

/**
 * Reads `dataDir/secrets.json`, or makes it (0600) when it is not there. Throws a SecretsError when the
 * file is damaged: to make new secrets over it would sign everyone out and is a person's decision.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  if (existsSync(join(dataDir, unfinishedRestore))) {
    throw new SecretsError(
      `A backup was being restored into ${dataDir} and is not whole. Remove the folder, then restore again.`,
    );
  }
  const file = join(dataDir, 'secrets.json');
  const found = await readIfThere(file);
  if (found !== undefined) return parseSecrets(found, file);
  await mkdir(dataDir, { recursive: true });
  await writeWhole(file, `${JSON.stringify(await createSecrets(), null, 2)}\n`);
  // Of two processes that start at once one wrote it, and both use that one's.
  return parseSecrets(await readFile(file, 'utf8'), file);
}

/** A key for one purpose ("refresh tokens", …): the same each time, independent of the others. */
export function deriveKey(secrets: Secrets, purpose: string): Uint8Array {
  const root = Buffer.from(secrets.rootKey, 'base64url');
  return new Uint8Array(hkdfSync('sha256', root, '', `vitrine: ${purpose}`, 32));
}

const weekMs = 604_800_000;

/**
 * Makes a new signing key; the running processes take it with their next start. Keys retired more
 * than a week ago go: no token lives longer. Returns the new key's id.
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
  await rename(await writeUnfinished(file, `${text}\n`), file);
  return signingKey.kid;
}

async function createSigningKey(): Promise<SigningJwk> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y, d } = privateKey.export({ format: 'jwk' });
  if (x === undefined || y === undefined || d === undefined) {
    throw new Error('A new P-256 key came without coordinates.');
  }
  const key = { kty: 'EC', crv: 'P-256', x, y, d } as const;
  return { ...key, kid: await calculateJwkThumbprint(key) };
}

export async function createSecrets(): Promise<Secrets> {
  return {
    publishableKey: `sb_publishable_${randomText(24)}`,
    secretKey: `sb_secret_${randomText(32)}`,
    signingKey: await createSigningKey(),
    previousKeys: [],
    databasePassword: randomText(32),
    rootKey: randomText(32),
  };
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whole or not at all, on disk before its name is there, and never over an existing file. */
async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = await writeUnfinished(file, text);
  try {
    await link(unfinished, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(unfinished);
  }
}

async function writeUnfinished(file: string, text: string): Promise<string> {
  const unfinished = `${file}.${randomText(6)}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return unfinished;
}

function parseSecrets(text: string, file: string): Secrets {
  const problem = (what: string) =>
    new SecretsError(
      `${file} is damaged: ${what}. Restore it from a backup; removing it signs everyone out.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw problem('it is not JSON');
  }
  const read = (from: unknown, name: string, form: RegExp): string => {
    const field: unknown = isRecord(from) ? from[name] : undefined;
    if (typeof field !== 'string' || !form.test(field))
      throw problem(`${name} is missing or wrong`);
    return field;
  };
  const key = isRecord(value) ? value['signingKey'] : undefined;
  const coordinate = /^[\w-]{43}$/;
  if (!isRecord(key) || key['kty'] !== 'EC' || key['crv'] !== 'P-256') {
    throw problem('signingKey is missing or wrong');
  }
  const signingKey: SigningJwk = {
    kty: 'EC',
    crv: 'P-256',
    x: read(key, 'x', coordinate),
    y: read(key, 'y', coordinate),
    d: read(key, 'd', coordinate),
    kid: read(key, 'kid', coordinate),
  };
  if (!isKeyPair(signingKey)) throw problem('signingKey is no key');
  const retired: unknown = isRecord(value) ? (value['previousKeys'] ?? []) : [];
  if (!Array.isArray(retired)) throw problem('previousKeys is no list');
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

/** Node takes any `d` beside any `x` and `y`; only signing shows whether they belong together. */
function isKeyPair(jwk: SigningJwk): boolean {
  const sample = Buffer.from('sample');
  const { d: _, ...publicJwk } = jwk;
  try {
    const signature = sign('sha256', sample, createPrivateKey({ key: { ...jwk }, format: 'jwk' }));
    const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' });
    return verify('sha256', sample, publicKey, signature);
  } catch {
    // Not on the curve. The cause may quote the key.
    return false;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
