import { readFileSync } from 'node:fs';
import { packageAddresses, readLock } from '@vitrine/project';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startVitrine, type Asked, type Vitrine } from './vitrine.ts';

let vitrine: Vitrine;

beforeAll(async () => {
  // Nothing listens there: whatever is answered comes with the installation.
  vitrine = await startVitrine({ npm_config_registry: 'http://127.0.0.1:9/' });
});
afterAll(async () => {
  await vitrine.close();
});

const file = (path: string) =>
  readFileSync(new URL(`../../../examples/preact/${path}`, import.meta.url), 'utf8');

function post(path: string, body: unknown, headers: Asked['headers'] = {}) {
  return vitrine.request(path, {
    method: 'POST',
    headers: { origin: vitrine.origin, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function addressOfPreact(): string {
  const lock = readLock(file('package-lock.json'));
  return (lock && packageAddresses(lock, 'development').get('preact')) ?? 'nowhere';
}

describe('a package of a template', () => {
  test('is a module for anyone, without a registry, once its lock is known', async () => {
    const unknown = await vitrine.request(addressOfPreact());
    expect(unknown.status).toBe(404);
    expect(JSON.parse(unknown.body)).toMatchObject({ code: 'package_address_unknown' });

    const known = await post('/npm/-/register', { lock: file('package-lock.json') });
    expect(known.status).toBe(200);
    const answer = await vitrine.request(addressOfPreact(), {
      headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(answer.headers['content-type']).toContain('text/javascript');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.body).toContain('export');
  });

  test('is added to a project, with its lock, without a registry', async () => {
    const answer = await post('/npm/-/resolve', { packageJson: '{}', add: [{ name: 'preact' }] });
    expect(answer.status).toBe(200);
    const { packageJson, lock } = JSON.parse(answer.body);
    expect(JSON.parse(packageJson)).toMatchObject({ dependencies: { preact: '^11.2.0' } });
    expect(readLock(lock)?.direct.get('preact')?.version).toBe('11.2.0');
  });
});

describe('the package server', () => {
  test('answers the same with a session as without, and sets no cookie', async () => {
    const path = '/npm/-/progress?of=preact@1.0.0~aaaaaaaaaaaaaaaa';
    const ann = await vitrine.signUp('ann');
    const plain = await vitrine.request(path);
    const headers = { cookie: ann.cookie, authorization: `Bearer ${ann.accessToken}` };
    const known = await vitrine.request(path, { headers });
    expect(plain.status).toBe(200);
    expect(known.body).toBe(plain.body);
    expect(known.headers['set-cookie']).toBeUndefined();
    expect(known.headers['access-control-allow-credentials']).toBeUndefined();
  });

  test.each([
    ['a preview', () => `http://abcdefghij.${vitrine.host}`],
    ['a stranger', () => 'https://evil.test'],
    ['a sandboxed frame', () => 'null'],
  ])('changes nothing for %s', async (_, origin) => {
    const body = { packageJson: '{}', add: [{ name: 'preact' }] };
    for (const path of ['/npm/-/resolve', '/npm/-/register']) {
      const answer = await post(path, body, { origin: origin() });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).not.toBe(vitrine.origin);
    }
  });

  test('says that the registry does not answer, and what still works', async () => {
    const answer = await post('/npm/-/resolve', { packageJson: '{}', add: [{ name: 'three-d' }] });
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'registry_unreachable' });
  });

  test('never becomes a page or the app’s service worker', async () => {
    const lock = file('package-lock.json');
    await post('/npm/-/register', { lock });
    const worker = await vitrine.request(addressOfPreact(), {
      headers: { 'service-worker': 'script' },
    });
    expect(worker.status).toBe(403);
    const raw = await vitrine.request(`${addressOfPreact()}/-/README.md`);
    expect(raw.headers['content-type']).not.toContain('html');
    expect(raw.headers['content-security-policy']).toContain('sandbox');
  });

  test('has nothing on the hosts of previews', async () => {
    const host = `abcdefghij.${vitrine.host}`;
    const answer = await vitrine.request('/npm/-/search?text=x', { host });
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('text/html');
  });
});
