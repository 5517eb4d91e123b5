import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findDeno } from '../src/functions/deno.ts';
import { openFunctions, type FunctionsService } from '../src/functions/index.ts';
import { createGateway, createKeyRoleLookup } from '../src/gateway.ts';
import type { Log } from '../src/index.ts';
import {
  appOrigin,
  openTestBackend,
  signUpConfirmed,
  type TestBackend,
} from '@vitrine/testing/backend';

const deno = findDeno(resolve(import.meta.dirname, '../../..'));
let world: TestBackend;
let folder: string;
let token: string;
const logged: string[] = [];
const note = (line: string) => void logged.push(line);
const log: Log = { info: note, warn: note, error: note };

/** Functions written for Supabase. */
const sources: Record<string, string> = {
  hello: `Deno.serve(async (request) => {
    const url = new URL(request.url);
    const secret = Deno.env.get('GREETING');
    console.log('asked for ' + url.pathname);
    return Response.json({
      url: request.url, method: request.method, secret, body: await request.text(),
      named: request.headers.get('x-name'), cookie: request.headers.get('cookie'),
    }, { status: 201, headers: { 'set-cookie': 'a=b', 'x-mine': 'yes', 'content-security-policy': 'none' } });
  });`,
  open: `Deno.serve({ port: 9 }, () => new Response('<script>alert(1)</script>', {
    headers: { 'content-type': 'text/html', 'access-control-allow-origin': '*' } }));`,
  who: `Deno.serve((request) => new Response(request.headers.get('authorization')));`,
  stream: `Deno.serve(() => {
    let count = 0;
    return new Response(new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('part ' + count + '\\n'));
        if (++count === 3) return controller.close();
        await new Promise((resolve) => setTimeout(resolve, 100));
      } }), { headers: { 'content-type': 'text/plain' } });
  });`,
  endless: `Deno.serve(() => { for (;;); });`,
  crash: `Deno.serve(() => { Deno.exit(3); });`,
  greedy: `Deno.serve(() => {
    const kept = [];
    for (;;) kept.push(new Array(1e5).fill(Math.random()));
  });`,
  hoard: `const kept = []; Deno.serve(async () => {
    for (let count = 0; count < 40; count++) {
      kept.push(new Uint8Array(5e7).fill(count));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return new Response('kept ' + kept.length);
  });`,
  nosy: `import { readFileSync, writeFileSync } from 'node:fs';
  import { spawnSync } from 'node:child_process';
  import { Worker } from 'node:worker_threads';
  Deno.serve(() => {
    const attempts = { read: () => readFileSync('/etc/hostname'), write: () => writeFileSync('/tmp/written', ''),
      run: () => spawnSync('/usr/bin/id'), thread: () => new Worker('1', { eval: true }) };
    const results = { environment: 'HOME' in process.env };
    for (const [name, attempt] of Object.entries(attempts)) {
      try { attempt(); results[name] = 'done'; } catch (error) { results[name] = error.code; }
    }
    return Response.json(results);
  });`,
  waits: `Deno.serve(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return new Response('late');
  });`,
  broken: `throw new Error('at the start');`,
  throws: `Deno.serve(() => { throw new Error('GREETING is ' + Deno.env.get('GREETING')); });`,
  away: `import 'https://deno.land/std@0.168.0/http/server.ts'; Deno.serve(() => new Response('no'));`,
  spoiled: `Deno.serve(() => new Response('no'));`,
  reach: `Deno.serve(async (request) => {
    const wanted = new URL(request.url).searchParams.get('url');
    try { return new Response(await (await fetch(wanted)).text()); }
    catch (error) { return new Response(error.name); }
  });`,
  read: `Deno.serve(async (request) => {
    const path = new URL(request.url).searchParams.get('path');
    const attempts = { read: () => Deno.readTextFile(path), write: () => Deno.writeTextFile('/tmp/written', ''),
      run: () => new Deno.Command('/usr/bin/id').output(), env: () => Deno.env.toObject().PATH.startsWith('/usr') || fail() };
    const results = {};
    for (const [name, attempt] of Object.entries(attempts))
      results[name] = await Promise.resolve().then(attempt).then(() => 'done', (error) => error.name);
    return Response.json(results);
  });`,
};

let ask: (path: string, init?: RequestInit & { as?: 'visitor' | 'nobody' }) => Promise<Response>;
let close: () => Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-functions-'));
  for (const [name, source] of Object.entries(sources)) {
    await mkdir(join(folder, 'functions', name), { recursive: true });
    await writeFile(join(folder, 'functions', name, 'index.ts'), source);
  }
  await writeFile(
    join(folder, 'config.toml'),
    '[functions.open]\nverify_jwt = false\n[functions.off]\nenabled = false\n',
  );
  await writeFile(join(folder, 'functions/spoiled/deno.json'), '{');
  await writeFile(join(folder, 'functions/.env'), 'GREETING="good day"\n');
  world = await openTestBackend();
  const ada = await signUpConfirmed(world, 'ada@example.com');
  token = (await ada.client.auth.getSession()).data.session?.access_token ?? '';
  const functions = await openFunctions({
    folder,
    deno,
    cacheDir: join(folder, 'cache'),
    env: { SUPABASE_URL: 'http://127.0.0.1:1', SUPABASE_ANON_KEY: world.backend.publishableKey },
    log,
    limits: { responseTimeoutMs: 3000, maxWorkers: 3, processMegabytes: 600 },
  });
  close = () => functions.close();
  const gateway = createGateway({
    getKeyRole: createKeyRoleLookup(world.secrets),
    keys: await keysOfWorld(),
    corsOrigins: [appOrigin],
    auth: async () => new Response(null, { status: 500 }),
    rest: { handle: async () => new Response(null, { status: 500 }) },
    storage: { handle: async () => new Response(null, { status: 500 }) },
    realtime: { handle: async () => new Response(null, { status: 500 }) },
    functions,
    sendMail: async () => {},
    log,
  });
  ask = (path, { as, ...init } = {}) => {
    const headers = new Headers(init.headers);
    if (as !== 'nobody') headers.set('apikey', world.backend.publishableKey);
    if (as === undefined) headers.set('authorization', `Bearer ${token}`);
    return gateway(new Request(`${appOrigin}/functions/v1/${path}`, { ...init, headers }));
  };
}, 60_000);
afterAll(async () => {
  await close();
  await world.close();
  await rm(folder, { recursive: true });
});

async function keysOfWorld() {
  const { importKeys } = await import('../src/auth/keys.ts');
  return await importKeys(world.secrets, { publicOrigin: appOrigin, lifetimeSeconds: 3600 });
}

test('a function responds, reads its secrets, and logs its output', async () => {
  const answer = await ask('hello/there?a=1', {
    method: 'POST',
    body: 'text',
    headers: { 'x-name': 'Ada', cookie: 'session=1' },
  });
  expect([answer.status, await answer.json()]).toEqual([
    201,
    {
      url: 'http://app.test/hello/there?a=1',
      method: 'POST',
      secret: 'good day',
      body: 'text',
      named: 'Ada',
      cookie: null,
    },
  ]);
  expect(answer.headers.get('x-mine')).toBe('yes');
  expect(answer.headers.get('set-cookie')).toBeNull();
  await expect.poll(() => logged).toContain('functions/hello: asked for /hello/there');
});

test('DB-28, DB-13 requires a valid token unless the settings say otherwise', async () => {
  expect((await ask('hello', { as: 'nobody' })).status).toBe(401);
  expect((await ask('hello', { as: 'visitor' })).status).toBe(401);
  const forged = `${token.slice(0, -8)}AAAAAAAA`;
  const headers = { authorization: `Bearer ${forged}` };
  expect((await ask('hello', { as: 'visitor', headers })).status).toBe(401);
  expect((await ask('hello', { as: 'nobody', headers })).status).toBe(401);
  const service = { authorization: `Bearer ${world.backend.secretKey}` };
  expect((await ask('hello', { as: 'nobody', headers: service })).status).toBe(201);
  expect((await ask('open', { as: 'nobody' })).status).toBe(200);
  expect((await ask('open', { as: 'nobody', headers })).status).toBe(200);
  for (const name of ['off', 'none', '..%2Fhello', '.env', 'hello.ts', '']) {
    expect((await ask(name)).status).toBe(404);
  }
});

test('a page of a function runs nothing on our origin, and sets its own CORS headers', async () => {
  const { headers } = await ask('open', {
    as: 'nobody',
    headers: { origin: 'https://elsewhere.test' },
  });
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  const own = await ask('hello', { headers: { origin: 'https://elsewhere.test' } });
  expect(own.headers.get('access-control-allow-origin')).toBeNull();
});

test('streams a response', async () => {
  const reader = (await ask('stream')).body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value)).toBe('part 0\n');
  let rest = '';
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) break;
    rest += new TextDecoder().decode(next.value);
  }
  expect(rest).toBe('part 1\npart 2\n');
});

test('DB-28 ends a function with an endless loop, and others keep responding', async () => {
  const endless = ask('endless');
  expect((await ask('hello', { method: 'POST' })).status).toBe(201);
  const ended = await endless;
  expect([ended.status, await ended.json()]).toMatchObject([546, { code: 'WORKER_LIMIT' }]);
  expect((await ask('hello', { method: 'POST' })).status).toBe(201);
}, 30_000);

test.each([
  ['crash', 500, 'WORKER_ERROR'],
  ['greedy', 500, 'WORKER_ERROR'],
  ['hoard', 500, 'WORKER_ERROR'],
  ['broken', 503, 'BOOT_ERROR'],
  ['away', 503, 'BOOT_ERROR'],
])(
  'reports a function that exits (%s), and starts it again',
  async (name, status, code) => {
    for (let round = 0; round < 2; round += 1) {
      const answer = await ask(name);
      expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
    }
    expect((await ask('hello', { method: 'POST' })).status).toBe(201);
  },
  30_000,
);

test('DB-28 does not disclose secrets of a failing function, and rejects large bodies', async () => {
  const failed = await ask('throws');
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain('good day');
  const body = new Uint8Array(17 * 1024 * 1024);
  expect((await ask('hello', { method: 'POST', body })).status).toBe(413);
});

test('DB-28 a function cannot access private networks, other files or programs', async () => {
  for (const url of [
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
  ]) {
    expect(await (await ask(`reach?url=${encodeURIComponent(url)}`)).text(), url).toBe(
      'NotCapable',
    );
  }
  for (const path of ['/etc/passwd', join(folder, 'functions/.env')]) {
    const answer = await ask(`read?path=${encodeURIComponent(path)}`);
    expect(await answer.json()).toMatchObject({
      read: 'NotCapable',
      write: 'NotCapable',
      run: 'NotCapable',
    });
  }
});

test('starts one process per function for concurrent requests, and replaces idle ones', async () => {
  const names = ['hello', 'open', 'who', 'stream', 'reach', 'read'];
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask('hello', { method: 'POST' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    for (const name of names) {
      const answer = await ask(name);
      expect(answer.status, name).toBeLessThan(300);
      await answer.text();
    }
  }
});

test('restarts a function after its file changed', async () => {
  const file = join(folder, 'functions/open/index.ts');
  expect(await (await ask('open')).text()).toContain('script');
  await writeFile(file, `Deno.serve(() => new Response('changed'));`);
  await utimes(file, new Date(), new Date(Date.now() + 1000));
  expect(await (await ask('open')).text()).toBe('changed');
});

test.each([
  ['hello', 'ENOENT'],
  ['spoiled', 'SyntaxError'],
])('a process that cannot be started (%s, %s) leaves nothing behind', async (name, reason) => {
  const env = { SUPABASE_URL: 'http://127.0.0.1:1' };
  const nowhere = { folder, deno: join(folder, 'no-deno'), cacheDir: folder, env, log };
  const spoilt = await openFunctions(nowhere);
  const url = `${appOrigin}/functions/v1/${name}`;
  const temporary = join(folder, `temporary-${name}`);
  await mkdir(temporary);
  vi.stubEnv('TMPDIR', temporary);
  const answer = await spoilt.handle(new Request(url), async () => true);
  vi.unstubAllEnvs();
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'BOOT_ERROR' }]);
  expect(logged).toContainEqual(expect.stringMatching(`functions/${name}: .*${reason}`));
  await expect.poll(() => readdir(temporary)).toEqual([]);
  await spoilt.close();
});

describe('without Deno', () => {
  let inNode: FunctionsService;
  beforeAll(async () => {
    const env = { SUPABASE_URL: 'http://127.0.0.1:1' };
    const limits = { responseTimeoutMs: 3000 };
    inNode = await openFunctions({ folder, deno: undefined, cacheDir: folder, env, log, limits });
  });
  afterAll(() => inNode.close());
  const askNode = (name: string, init?: RequestInit) =>
    inNode.handle(new Request(`${appOrigin}/functions/v1/${name}`, init), async () => true);

  test('runs functions in Node that only use serve and env', async () => {
    const answer = await askNode('hello/x?y=1', { method: 'POST', body: 'given' });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({
      url: 'http://app.test/hello/x?y=1',
      secret: 'good day',
      body: 'given',
    });
    expect(await (await askNode('stream')).text()).toBe('part 0\npart 1\npart 2\n');
  });

  test('PT-03: one client leaves requests to others', async () => {
    const url = `${appOrigin}/functions/v1/waits`;
    const askAs = async (client: string) =>
      (await inNode.handle(new Request(url), async () => true, client)).status;
    // Five times as many as it may have, and more than the function takes.
    const many = Array.from({ length: 100 }, () => askAs('192.0.2.1'));
    expect(await askAs('192.0.2.2')).toBe(200);
    const statuses = await Promise.all(many);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
    expect(await askAs('192.0.2.1')).toBe(200);
  });

  test('suggests to install Deno when a function needs it', async () => {
    const answer = await askNode('away');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npm run functions -- install');
  });

  test('a function cannot read other files, write files or start processes', async () => {
    expect(await (await askNode('nosy')).json()).toEqual({
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      run: 'ERR_ACCESS_DENIED',
      thread: 'ERR_ACCESS_DENIED',
      environment: false,
    });
  });

  test('ends an endless loop, and responds with 500 to an exception', async () => {
    expect((await askNode('endless')).status).toBe(546);
    expect((await askNode('throws')).status).toBe(500);
  });
});
