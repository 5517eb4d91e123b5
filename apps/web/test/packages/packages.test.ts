import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { computePackageUrls, parseLockfile } from '@vitrine/esm/lockfile';
import { createDocumentFromFiles } from '@vitrine/project';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeStateAsUpdate } from 'yjs';
import { startFakeRegistry, type FakeRegistry } from '@vitrine/testing/registry';
import { createPackageApi } from '../../app/packages/package-api.ts';
import { ProjectPackages } from '../../app/packages/project-packages.ts';
import { ProjectText } from '../../app/workspace/code/project-text.ts';
import { navigation, startVitrine, type Asked, type Vitrine } from '../vitrine.ts';

const token = 'npm_4nobodyElse';
let registry: FakeRegistry;
let dataDir: string;
let vitrine: Vitrine;

beforeAll(async () => {
  registry = await startFakeRegistry({ token });
  dataDir = mkdtempSync(join(tmpdir(), 'vitrine-packages-'));
  chmodSync(dataDir, 0o711);
  vitrine = await startVitrine({
    DATA_DIR: dataDir,
    // Nothing listens there, so that every response comes from the installed packages.
    npm_config_registry: 'http://127.0.0.1:9/',
    'npm_config_@acme:registry': registry.address,
    [`npm_config_//${new URL(registry.address).host}/:_authToken`]: token,
  });
  // As if the server had been started with it.
  process.env['npm_config_token'] = token;
});
afterAll(async () => {
  delete process.env['npm_config_token'];
  await vitrine.close();
  await registry.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const file = (path: string) =>
  readFileSync(new URL(`../../../../examples/preact/${path}`, import.meta.url), 'utf8');

function post(path: string, body: unknown, headers: Asked['headers'] = {}) {
  return vitrine.request(path, {
    method: 'POST',
    headers: { origin: vitrine.origin, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function addressOfPreact(): string {
  const lock = parseLockfile(file('package-lock.json'));
  return (lock && computePackageUrls(lock, 'development').get('preact')) ?? 'nowhere';
}

describe('a template’s package', () => {
  test('is served to anyone without a registry, once its lockfile is registered', async () => {
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

  test('is added to a project, with a lockfile, without a registry', async () => {
    const answer = await post('/npm/-/resolve', { packageJson: '{}', add: [{ name: 'preact' }] });
    expect(answer.status).toBe(200);
    const { packageJson, lock } = JSON.parse(answer.body);
    expect(JSON.parse(packageJson)).toMatchObject({ dependencies: { preact: '^11.2.0' } });
    expect(parseLockfile(lock)?.direct.get('preact')?.version).toBe('11.2.0');
  });
});

describe('a private registry that requires a token', () => {
  test('provides a project’s scoped packages without leaking the token', async () => {
    const files = { 'index.js': 'export { deep as button } from "@acme/deep";' };
    const manifest = { type: 'module', dependencies: { '@acme/deep': '1' } };
    registry.publish({ name: '@acme/button', version: '1.0.0', files, manifest });
    registry.publish({
      name: '@acme/deep',
      version: '1.2.0',
      files: { 'index.js': 'export const deep = "from within"; export const env = process.env;' },
      manifest: { type: 'module' },
    });
    const answers: string[] = [];
    const ask = async (path: string, asked: Asked = {}) => {
      const answer = await vitrine.request(path, asked);
      answers.push(JSON.stringify(answer));
      return answer;
    };

    const text = new ProjectText(createDocumentFromFiles([['index.html', '<p>']]), {
      onRename: () => {},
      onReplace: () => {},
    });
    const calls = createPackageApi(async (path, { method = 'GET', body }) => {
      const headers = { origin: vitrine.origin, 'content-type': 'application/json' };
      const answer = await ask(path, {
        method,
        headers,
        body: typeof body === 'string' ? body : '',
      });
      return new Response(answer.body, { status: answer.status });
    });
    const packages = new ProjectPackages(text.files.get(), () => calls);
    packages.open(text);
    expect(await packages.addFromText('@acme/button')).toBe(true);
    expect(await packages.addFromText('@acme/absent')).toBe(false);
    packages.close();

    const lock = parseLockfile(text.files.get().get('package-lock.json') ?? '');
    const base = (lock && computePackageUrls(lock, 'development').get('@acme/button')) ?? '';
    const module = await ask(base);
    expect(module.status).toBe(200);
    const deep = /"(\/npm\/@acme\/deep@1\.2\.0~[^"]*)"/.exec(module.body)?.[1] ?? '';
    expect((await ask(deep)).body).toContain('from within');
    expect(new Set(registry.authorizations)).toEqual(new Set([`Bearer ${token}`]));

    const saved = await save('bea', text);
    answers.push(JSON.stringify(saved));
    expect(saved.status).toBe(200);
    const { username, slug } = JSON.parse(saved.body);
    const page = await ask(`/@${username}/${slug}`, { headers: navigation });
    expect(page.body).toContain('@acme/button');
    const kept = [...answers, ...vitrine.log, ...text.files.get().values()];
    for (const { parentPath, name } of filesIn(join(dataDir, 'packages'))) {
      kept.push(readFileSync(join(parentPath, name), 'latin1'));
    }
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.filter((each) => each.includes(token))).toEqual([]);
  });

  async function save(name: string, text: ProjectText) {
    const { accessToken } = await vitrine.signUp(name);
    const state = encodeStateAsUpdate(text.doc);
    const apikey = /sb_publishable_[\w-]+/.exec(
      (await vitrine.request('/', { headers: navigation })).body,
    )?.[0];
    return post(
      '/rest/v1/rpc/create_project',
      {
        id: crypto.randomUUID(),
        title: 'Buttons',
        description: '',
        visibility: 'public',
        settings: {},
        files: [...text.files.get()].map(([path, content]) => ({ path, content })),
        state: Buffer.from(state).toString('base64'),
        state_sha256: createHash('sha256').update(state).digest('hex'),
      },
      { apikey: apikey ?? '', authorization: `Bearer ${accessToken}` },
    );
  }
});

function filesIn(folder: string) {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile());
}

describe('the package server', () => {
  test('responds the same with and without a session, and sets no cookie', async () => {
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
    ['another site', () => 'https://evil.test'],
    ['a sandboxed frame', () => 'null'],
  ])('changes nothing for %s', async (_, origin) => {
    const body = { packageJson: '{}', add: [{ name: 'preact' }] };
    for (const path of ['/npm/-/resolve', '/npm/-/register']) {
      const answer = await post(path, body, { origin: origin() });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).not.toBe(vitrine.origin);
    }
  });

  test('reports that the registry is unreachable, and what still works', async () => {
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

  test('is not served on preview hosts', async () => {
    const host = `abcdefghij.${vitrine.host}`;
    const answer = await vitrine.request('/npm/-/search?text=x', { host });
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('text/html');
  });
});
