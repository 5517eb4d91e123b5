import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { deriveKey, loadSecrets } from '../src/index.ts';
import { importKeys } from '../src/auth/keys.ts';
import { rotateSigningKey } from '../src/secrets.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vitrine-secrets-'));
  return () => rm(dataDir, { recursive: true });
});

test('creates private secrets once, also with concurrent starts', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => loadSecrets(dataDir)));
  expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
  expect(await loadSecrets(dataDir)).toEqual(all[0]);
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['secrets.json']);
});

test('rejects a damaged file, and neither quotes nor overwrites it', async () => {
  const secrets = await loadSecrets(dataDir);
  const file = join(dataDir, 'secrets.json');
  const damaged = [
    '',
    '{',
    JSON.stringify(secrets).slice(0, -20),
    '[]',
    JSON.stringify({ ...secrets, secretKey: 'sb_secret_short' }),
    JSON.stringify({ ...secrets, databasePassword: undefined }),
    JSON.stringify({ ...secrets, signingKey: { ...secrets.signingKey, d: 'A'.repeat(43) } }),
  ];
  for (const text of damaged) {
    await writeFile(file, text);
    const failure = await loadSecrets(dataDir).catch((error: unknown) => error);
    expect(String(failure)).toContain('is corrupted');
    expect(String(failure)).not.toContain(secrets.databasePassword);
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});

test('derives a stable key for each purpose', async () => {
  const secrets = await loadSecrets(dataDir);
  expect(deriveKey(secrets, 'previews')).toEqual(deriveKey(secrets, 'previews'));
  expect(deriveKey(secrets, 'previews')).not.toEqual(deriveKey(secrets, 'refresh tokens'));
  expect(deriveKey(secrets, 'previews').length).toBe(32);
});

test('rotates the signing key, and accepts older tokens for a week', async () => {
  const place = { publicOrigin: 'https://app.test', lifetimeSeconds: 3600 };
  const open = async () => importKeys(await loadSecrets(dataDir), place);
  const claims = {
    sub: crypto.randomUUID(),
    session_id: crypto.randomUUID(),
    role: 'authenticated',
  };
  const nowSeconds = Math.floor(Date.now() / 1000);
  const before = await loadSecrets(dataDir);
  const token = await (await open()).sign(claims, nowSeconds);
  const kid = await rotateSigningKey(dataDir);
  const after = await open();
  expect(await after.verify(token)).toMatchObject(claims);
  expect(after.publicKeys.keys.map((key) => key['kid'])).toEqual([kid, before.signingKey.kid]);
  expect(JSON.stringify(after.publicKeys)).not.toContain('"d"');
  expect(await after.verify(await after.sign(claims, nowSeconds))).toMatchObject(claims);
  expect((await loadSecrets(dataDir)).rootKey).toBe(before.rootKey);
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  await rotateSigningKey(dataDir, new Date(Date.now() + 8 * 86_400_000));
  await expect((await open()).verify(token)).rejects.toThrow('unknown key');
});
