import { toTextFiles } from '@vitrine/project';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createPreviewServer, type ServedProject } from '../src/server/index.ts';
import { scriptsFolder } from './rig/scripts-folder.ts';

// On a busy machine it takes longer to use up compile time.
vi.setConfig({ testTimeout: 120_000 });

const host = 'vitrine.localhost:4000';
const projects = new Map<string, ServedProject>();
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

function startServer(compileLimits = {}) {
  const warn = vi.fn();
  const server = createPreviewServer({
    appOrigins: [`http://${host}`],
    hosts: [host],
    secret: randomBytes(32),
    scriptsFolder,
    compileLimits,
    readProject: async ({ slug }) => projects.get(slug),
    log: { warn },
  });
  closers.push(() => server.close());
  const get = async (address: string, from: string, headers: Record<string, string> = {}) => {
    const request = new Request(address, { headers });
    const response = await server.fetch(request, { address: from });
    if (!response) throw new Error(`${address} was not answered`);
    return response;
  };
  return { ...server, get, warn };
}

/** Creates a new public project with each call. */
function publish(files: Record<string, string>): string {
  const slug = `limits${projects.size}`;
  save(slug, files);
  return `http://${slug}.${host}`;
}

function save(slug: string, files: Record<string, string>): void {
  const revision = (projects.get(slug)?.revision ?? 0) + 1;
  const all = toTextFiles(Object.entries(files));
  projects.set(slug, { id: slug, slug, revision, isPrivate: false, files: all });
}

const loop = (name: string | number) => `/* ${name} */ @while true {}`;
const loops = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, each) => [`${each}.scss`, loop(each)]));
const sheets = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, each) => [`${each}.scss`, `.a { .b${each} { color: red } }`]),
  );
const attacker = '192.0.2.1';
const visitor = '198.51.100.7';

describe('PT-03 a stylesheet with an infinite loop', () => {
  it('delays no other project, even from several projects or IP addresses at once', async () => {
    const { get } = startServer();
    const quiet = publish(sheets(8));
    expect((await get(`${quiet}/0.scss`, visitor)).status).toBe(200);
    const attacked = publish(loops(4));
    const attacks = Array.from({ length: 4 }, (_, each) =>
      get(`${attacked}/${each}.scss`, attacker),
    );
    for (const address of ['203.0.113.1', '203.0.113.2'])
      attacks.push(
        get(`${publish(loops(4))}/0.scss`, attacker),
        get(`${attacked}/3.scss`, address),
      );
    let ended = 0;
    for (const attack of attacks) void attack.then(() => (ended += 1));
    for (let each = 1; each < 8; each += 1) {
      expect((await get(`${quiet}/${each}.scss`, visitor)).status).toBe(200);
      // If it waited behind the loops, all of them would end before its first response.
      if (each === 1) expect(ended).toBeLessThanOrEqual(1);
    }
    expect(ended).toBeLessThan(attacks.length);
    await Promise.all(attacks);
  });

  it('is not compiled again until it or a dependency changes', async () => {
    const { get } = startServer();
    const files = {
      'a.scss': `@use 'b'; p { @include b.run }`,
      'b.scss': '@mixin run { @while true {} }',
    };
    const origin = publish(files);
    const first = await get(`${origin}/a.scss`, attacker);
    expect(first.status).toBe(422);
    expect(await first.text()).toMatch(/^a\.scss took longer than 1\.5 s to compile/);
    // A repeated request doesn't wait: not even the shortest file is compiled meanwhile.
    const [secondStatus] = await Promise.race([
      get(`${origin}/a.scss`, visitor).then(({ status }) => [status]),
      get(`${publish(sheets(1))}/0.scss`, '203.0.113.5').then(() => ['compiled']),
    ]);
    expect(secondStatus).toBe(422);
    save(new URL(origin).hostname.split('.')[0] ?? '', {
      ...files,
      'b.scss': '@mixin run { color: red }',
    });
    const fixed = await get(`${origin}/a.scss`, attacker, { Accept: 'text/html' });
    expect(fixed.status).toBe(200);
  });

  it('is tried again for a signed-in user, who has a longer time limit', async () => {
    // Takes longer than visitors may, but less than signed-in users may.
    const { get, mintAccessUrl } = startServer({
      anonymousTimeoutMs: 200,
      signedInTimeoutMs: 20_000,
    });
    const slow = '@for $i from 1 through 4000000 { $a: $i }';
    const origin = publish({ 'slow.scss': `${slow} p { color: red }` });
    expect((await get(`${origin}/slow.scss`, visitor)).status).toBe(422);
    const claims = Buffer.from(JSON.stringify({ sub: 'owner' })).toString('base64url');
    const entry = { key: new URL(origin).hostname.split('.')[0] ?? '', origin };
    const enter = await mintAccessUrl({
      ...entry,
      accessToken: `e30.${claims}.`,
      expiresAt: Date.now() + 60_000,
    });
    const cookie = (await get(enter, visitor)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    const answer = await get(`${origin}/slow.scss`, visitor, { Cookie: cookie });
    expect(await answer.text()).toContain('color: red');
    expect((await get(`${origin}/slow.scss`, visitor)).status).toBe(200);
  });

  it('uses up the compile time of the requesting IP address and of no other', async () => {
    const { get } = startServer({ anonymousTimeoutMs: 250, quotaMs: 1_000 });
    const origin = publish({ ...loops(8), 'fine.scss': 'p { color: red }' });
    const statuses: number[] = [];
    for (let each = 0; each < 8; each += 1)
      statuses.push((await get(`${origin}/${each}.scss`, attacker)).status);
    expect(statuses[0]).toBe(422);
    expect(statuses.at(-1)).toBe(429);
    const refused = await get(`${origin}/fine.scss`, attacker);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.text()).toMatch(/^Your network has reached its compile-time limit/);
    expect((await get(`${origin}/fine.scss`, visitor)).status).toBe(200);
    // A cached file uses no compile time.
    expect((await get(`${origin}/fine.scss`, attacker)).status).toBe(200);
  });
});

describe('a page of a client whose compile time is used up for some seconds', () => {
  /** Uses up the time, until a request is refused. */
  async function exhaust(get: ReturnType<typeof startServer>['get'], client: string) {
    const origin = publish(loops(40));
    for (let each = 0; each < 40; each += 1) {
      if ((await get(`${origin}/${each}.scss`, client)).status === 429) return;
    }
    throw new Error('compile time is not limited');
  }

  it('waits with a sign and loads itself again, and what it loads is held', async () => {
    const { get } = startServer({ anonymousTimeoutMs: 100, quotaMs: 2_000 });
    const origin = publish({ 'index.md': '# Hello', 'fine.scss': 'p { color: red }' });
    await exhaust(get, visitor);
    const page = await get(`${origin}/`, visitor, { 'Sec-Fetch-Dest': 'iframe' });
    expect(page.status).toBe(429);
    expect(page.headers.get('Content-Type')).toContain('text/html');
    expect(page.headers.get('Refresh')).toBe(page.headers.get('Retry-After'));
    expect(await page.text()).toContain(
      'The server is busy. This page opens as soon as it’s ready.',
    );
    const style = await get(`${origin}/fine.scss`, visitor, { 'Sec-Fetch-Dest': 'style' });
    expect(style.status).toBe(200);
    expect(await style.text()).toContain('color: red');
    const loaded = await get(`${origin}/`, visitor, { 'Sec-Fetch-Dest': 'iframe' });
    expect(loaded.status).toBe(200);
    expect(await loaded.text()).toContain('<h1');
  });
});

describe('PT-03 the server’s main thread', () => {
  const { get } = startServer();
  const mebibyte = (part: string) => part.repeat(Math.floor((1024 * 1024) / part.length));
  it.each([
    ['imports without an end', 'a.css', mebibyte('@import a ')],
    ['style tags without an end', 'a.vue', mebibyte('<style ')],
    ['import maps without an end', 'index.html', mebibyte('<script type=importmap>')],
    ['comments without an end', 'tsconfig.json', mebibyte('/* ')],
    ['strings without an end', 'tsconfig.json', mebibyte('"\\')],
    ['commas before white space', 'tsconfig.json', `[${mebibyte(' ')},${mebibyte(' ')}`],
    ['names without an end', 'a.js', mebibyte('import "a ')],
    ['white space in a head', 'index.html', mebibyte('<!doctype ')],
    ['properties without an end', 'a.vue', `<style>${mebibyte('defineA ')}`],
    ['inputs without an end', 'rollup.config.js', mebibyte('input: ')],
    ['nested values', 'vite.config.js', mebibyte('resolve: { alias: {')],
    [
      'nested conditions',
      'package.json',
      `{"imports":{"#a":${'{"default":'.repeat(50_000)}1${'}'.repeat(50_000)}}}`,
    ],
  ])('is not blocked by %s', async (_name, path, text) => {
    const origin = publish({ 'b.scss': 'p { color: red }', 'b.ts': 'let a: 1', [path]: text });
    await get(`${origin}/b.scss`, visitor);
    const before = process.threadCpuUsage();
    await get(`${origin}/${path}`, visitor);
    const { user } = process.threadCpuUsage(before);
    // Reading the largest file takes milliseconds; quadratic work would take a minute.
    expect(user / 1_000).toBeLessThan(500);
  });
});

describe('PT-08 a file that ends the compiler', () => {
  const { get, warn, mintAccessUrl } = startServer();
  const repeat = (part: string, count = 100_000) => part.repeat(count);
  const nested: readonly [string, string, string][] = [
    ['tags', 'a.tsx', repeat('<a>', 20_000)],
    ['closed tags', 'a.jsx', `${repeat('<a>', 50_000)}${repeat('</a>', 50_000)}`],
    ['parentheses', 'a.ts', repeat('(')],
    ['brackets', 'a.ts', repeat('[')],
    ['braces', 'a.ts', repeat('{')],
    ['types', 'a.ts', `type A = ${repeat('A<')}`],
    ['arrow functions', 'a.ts', `let a: any = ${repeat('()=>')}1`],
    ['operators', 'a.ts', `let a: any = ${repeat('!')}1`],
    ['sums', 'a.ts', `let a: any = 1${repeat('+1')}`],
    ['templates', 'a.ts', `let a: any = ${repeat('`${')}`],
  ];

  it.each(nested)('is refused, and nothing else is: %s in %s', async (_name, path, text) => {
    warn.mockClear();
    const origin = publish({ [path]: text, 'fine.ts': 'let a: number = 1' });
    const first = await get(`${origin}/${path}`, attacker);
    expect(first.status).toBe(422);
    expect(await first.text()).toBe(`Couldn’t compile ${path}: its code is nested too deeply.\n`);
    expect(warn).toHaveBeenCalledOnce();
    expect(warn).toHaveBeenCalledWith(
      expect.any(String),
      expect.objectContaining({ path, hash: expect.any(String), reason: expect.any(String) }),
    );
    expect((await get(`${origin}/fine.ts`, visitor)).status).toBe(200);
    // Remembered by its contents, whoever asks, in whatever project.
    const copy = publish({ [path]: text, 'fine.ts': 'let a: number = 1' });
    expect((await get(`${origin}/${path}`, visitor)).status).toBe(422);
    expect((await get(`${copy}/${path}`, visitor)).status).toBe(422);
    expect(warn).toHaveBeenCalledOnce();
  });

  it('is refused for its author, too, without being compiled again', async () => {
    warn.mockClear();
    const origin = publish({ 'a.ts': repeat('[', 90_000) });
    expect((await get(`${origin}/a.ts`, attacker)).status).toBe(422);
    const claims = Buffer.from(JSON.stringify({ sub: 'author' })).toString('base64url');
    const entrance = await mintAccessUrl({
      key: new URL(origin).hostname.split('.')[0] ?? '',
      origin,
      accessToken: `e30.${claims}.`,
      expiresAt: Date.now() + 60_000,
    });
    const cookie = (await get(entrance, visitor)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    expect((await get(`${origin}/a.ts`, visitor, { Cookie: cookie })).status).toBe(422);
    expect(warn).toHaveBeenCalledOnce();
  });

  it('doesn’t count for a project after it was edited', async () => {
    const origin = publish({ 'a.ts': repeat('[', 80_000) });
    expect((await get(`${origin}/a.ts`, attacker)).status).toBe(422);
    save(new URL(origin).hostname.split('.')[0] ?? '', { 'a.ts': 'let a: number = 1' });
    // The server reads a project again when it has been shown as a page.
    const fixed = await get(`${origin}/a.ts`, attacker, { Accept: 'text/html' });
    expect(fixed.status).toBe(200);
  });

  it('ends only its process if it needs more memory than there is', async () => {
    const origin = publish({
      'a.scss': '$a: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; @while true { $a: append($a, $a + $a) }',
      'fine.ts': 'let a: number = 1',
    });
    const response = await get(`${origin}/a.scss`, attacker);
    expect(response.status).toBe(422);
    expect((await get(`${origin}/fine.ts`, visitor)).status).toBe(200);
  });
});
