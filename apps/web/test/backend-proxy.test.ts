import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBackendProxy } from '../server/backend-proxy.ts';
import { createLog } from '../server/log.ts';
import { navigation, startVitrine, type Vitrine } from './vitrine.ts';

/** A process with the backend and one with only the app, with the same public origin. */
let backend: Vitrine;
let app: Vitrine;
let dataDir: string;
let key: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'vitrine-forwarding-'));
  chmodSync(dataDir, 0o711);
  const shared = { DATA_DIR: dataDir, PREVIEW_HOST: 'vitrine-preview.localhost' };
  backend = await startVitrine(shared);
  const BACKEND_URL = backend.origin.replace('vitrine.localhost', '127.0.0.1');
  app = await startVitrine({ ...shared, BACKEND_URL, PUBLIC_ORIGIN: backend.origin });
  key = JSON.parse(readFileSync(`${dataDir}/secrets.json`, 'utf8')).publishableKey;
}, 60_000);
afterAll(async () => {
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const signUpWith = (name: string, headers: Record<string, string>) =>
  app.request('/auth/v1/signup', {
    method: 'POST',
    headers: { apikey: key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      email: `${name}@example.org`,
      password: 'a password for two',
      data: { username: name },
    }),
  });

test('an app process without a backend serves pages and proxies the API', async () => {
  const { cookie } = await app.signUp('ada');
  const page = await app.request('/settings/profile', { headers: { ...navigation, cookie } });
  expect(page.status).toBe(200);
  expect(page.body).toContain('value="ada"');
  const rows = await app.request('/rest/v1/profiles?select=username', { headers: { apikey: key } });
  expect(JSON.parse(rows.body)).toEqual([{ username: 'ada' }]);
  expect(rows.headers['x-request-id']).toBeDefined();
  expect((await app.request('/healthz')).status).toBe(200);
});

test('AU-11: the backend gets the client address from the app process, not from the client', async () => {
  const signedUp = await signUpWith('mallory', { 'x-forwarded-for': '203.0.113.9' });
  const token: unknown = JSON.parse(signedUp.body).access_token;
  const sessions = await app.request('/rest/v1/rpc/my_sessions', {
    headers: { apikey: key, authorization: `Bearer ${String(token)}` },
  });
  expect(JSON.parse(sessions.body)).toMatchObject([{ ip: '127.0.0.1' }]);
});

test('PT-01.4: one link and cookie open the outbox in every process of an instance', async () => {
  expect(backend.outboxLink).toMatch(/\?token=[\w-]{43}$/);
  expect(app.outboxLink).toBe(backend.outboxLink);
  const { pathname, search } = new URL(app.outboxLink ?? '');
  const opened = await app.request(pathname + search, { headers: navigation });
  const [cookie = ''] = (opened.headers['set-cookie']?.[0] ?? '').split(';');
  for (const one of [app, backend]) {
    const outbox = await one.request('/outbox', {
      host: app.host,
      headers: { ...navigation, cookie },
    });
    expect(outbox.status).toBe(200);
    expect((await one.request('/outbox', { host: app.host, headers: navigation })).status).toBe(
      404,
    );
  }
});

test('proxies WebSocket connections only from our pages', async () => {
  const path = `/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`;
  const open = (origin: string) => app.requestSocket(path, { headers: { origin } });
  expect(await open(app.origin)).toBe(101);
  expect(await open('https://evil.test')).toBe(403);
});

test('responds 503 with Retry-After while the backend is down', async () => {
  await backend.close();
  const answer = await app.request('/rest/v1/profiles', { headers: { apikey: key } });
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('2');
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'backend_unreachable' });
  expect((await app.request('/healthz')).status).toBe(503);
  const path = `/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`;
  expect(await app.requestSocket(path, { headers: { origin: app.origin } })).toBe(503);
});

test('a slow socket gets the complete error response', async () => {
  const url = 'http://127.0.0.1:1';
  const { upgrade } = createBackendProxy({
    url,
    publicOrigin: app.origin,
    processToken: '',
    log: createLog(() => {}),
  });
  let taken = '';
  const socket = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      // Longer than the upstream connection takes to close.
      const finish = (turns: number) => {
        if (turns > 0) return void setImmediate(finish, turns - 1);
        taken += bytes.toString();
        done();
      };
      finish(20);
    },
  });
  const request = new IncomingMessage(new Socket());
  upgrade({ request, socket, head: Buffer.alloc(0), clientIp: '127.0.0.1' });
  await once(socket, 'close');
  expect(taken).toMatch(/^HTTP\/1.1 503 [^]*The backend cannot be reached"}$/);
  expect(socket.writableFinished).toBe(true);
});
