import { toTextFiles } from '@vitrine/project';
import { readProjectConfig } from '@vitrine/compiler';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createCompilePool } from '../src/server/compile-pool.ts';
import { createPreviewServer, type ServedProject } from '../src/server/index.ts';
import { lockFile } from './rig/packages.ts';
import { scriptsFolder } from './rig/scripts-folder.ts';

const host = 'vitrine.localhost:4000';
const projects = new Map<string, ServedProject>();
const server = createPreviewServer({
  appOrigins: [`http://${host}`],
  hosts: [host],
  secret: randomBytes(32),
  scriptsFolder,
  readProject: async ({ slug }) => projects.get(slug),
});
afterAll(() => server.close());

const files = {
  'index.html': `<!doctype html>
<script type="module">import { version } from 'tiny-jsx'; import './src/App';</script>`,
  'package-lock.json': lockFile('1.0.0'),
  'src/App.tsx': `type A = string;\nexport const a: A = 'é';\n`,
  'src/broken.ts': '\nexport const a: number = ;',
  'plain.js': `import './src/App.tsx';`,
  'needs.js': `import './src/App';`,
  'data.json': '{"a":1}',
  'style.css': 'p {}',
};

/** Creates a new project with each call, because the files of a revision never change. */
function open(more: Record<string, string> = {}): string {
  const slug = `project${projects.size}`;
  const all = toTextFiles(Object.entries({ ...files, ...more }));
  projects.set(slug, { id: slug, slug, revision: 7, isPrivate: false, files: all });
  return `http://${slug}.${host}`;
}

async function ask(address: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await server.fetch(new Request(address, { headers }));
  if (!response) throw new Error(`${address} was not answered`);
  return response;
}

const script = { 'Sec-Fetch-Dest': 'script' };
const fetched = { 'Sec-Fetch-Dest': 'empty' };

describe('the server', () => {
  it('P-15 responds with compiled code to run a script and with its text to read it', async () => {
    const origin = open();
    const runs = await ask(`${origin}/src/App.tsx`, script);
    expect(runs.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(runs.headers.get('Vary')).toBe('Sec-Fetch-Dest');
    expect(await runs.text()).toBe('export const a = "é";\n\n//# sourceMappingURL=App.tsx.map');
    const read = await ask(`${origin}/src/App.tsx`, fetched);
    expect(read.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    expect(await read.text()).toBe(files['src/App.tsx']);
    expect(read.headers.get('ETag')).not.toBe(runs.headers.get('ETag'));
  });

  it('P-15 responds with compiled code if the browser sends no destination', async () => {
    expect(await (await ask(`${open()}/src/App.tsx`)).text()).not.toContain(': A');
  });

  it('responds with 304 to a matching ETag', async () => {
    const address = `${open()}/src/App.tsx`;
    const tag = (await ask(address, script)).headers.get('ETag') ?? '';
    expect((await ask(address, { ...script, 'If-None-Match': tag })).status).toBe(304);
    expect((await ask(address, { ...fetched, 'If-None-Match': tag })).status).toBe(200);
  });

  it('serves the source map next to the script', async () => {
    const origin = open({ 'own.map': 'mine' });
    const map: unknown = await (await ask(`${origin}/src/App.tsx.map`, fetched)).json();
    expect(map).toMatchObject({
      version: 3,
      sources: ['App.tsx'],
      sourcesContent: [files['src/App.tsx']],
    });
    expect((await ask(`${origin}/plain.js.map`)).status).toBe(404);
    expect(await (await ask(`${origin}/own.map`)).text()).toBe('mine');
  });

  it('creates modules for imported JSON and CSS', async () => {
    const origin = open();
    const json = await ask(`${origin}/data.json?module`, script);
    expect(json.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(await json.text()).toContain('export const { a } = json;');
    expect(await (await ask(`${origin}/style.css?module`)).text()).toContain('"/style.css"');
    expect(await (await ask(`${origin}/data.json`)).text()).toBe(files['data.json']);
  });

  it('resolves imports of inline scripts', async () => {
    const html = await (await ask(`${open()}/`)).text();
    expect(html).toMatch(
      /import \{ version \} from 'http:\/\/vitrine\.localhost:4000\/npm\/tiny-jsx@1\.0\.0~\w{16}\?names=version'/,
    );
    expect(html).toContain(`import '/src/App.tsx'`);
  });

  it('leaves a script unchanged that needs no compiling', async () => {
    const origin = open();
    expect(await (await ask(`${origin}/plain.js`, script)).text()).toBe(files['plain.js']);
    expect(await (await ask(`${origin}/needs.js`, script)).text()).toMatch(/^import '\/src\/App/);
  });

  it('responds to a syntax error with a script that fails at the same location', async () => {
    const text = await (await ask(`${open()}/src/broken.ts`, script)).text();
    expect(text.split('\n')[1]?.slice(25)).toMatch(/^this does not compile: "src\/broken\.ts:2:26/);
  });

  it('responds to other requests while it compiles files of the largest size', async () => {
    const line = 'export const value: number[] = [1, 2, 3].map((one): number => one * 2);\n';
    const large = `{${line.replace('export ', '')}}\n`.repeat(Math.floor((1024 * 1024) / 75));
    const origin = open({
      'large.ts': large,
      'larger.js': `import('./src/App');\n${large.replaceAll(': number[]', '').replaceAll(': number', '')}`,
    });
    let longestMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const answers = ['large.ts', 'larger.js'].map((path) => ask(`${origin}/${path}`, script));
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    clearInterval(timer);
    expect(longestMs).toBeLessThan(250);
  });
});

describe('compile processes', () => {
  const projectConfig = readProjectConfig(new Map([['a.ts', '']]));
  const packages = { origin: '', fullExportUrls: new Set<string>() };
  const client = { key: 'address 192.0.2.1', timeoutMs: 300 };
  const ask = (path: string, text: string, from = client) => ({
    project: 'one',
    client: from,
    context: { projectConfig, packages },
    job: {
      type: 'file' as const,
      contextKey: 'one',
      path,
      text,
      texts: new Map<string, string>(),
    },
  });

  it('are ended by a file that takes too long, and replaced', async () => {
    const pool = createCompilePool();
    await pool.run(ask('a.ts', 'export const a: number = 1;'));
    const slow = pool.run(ask('b.scss', '@while true {}'));
    const next = pool.run(ask('a.ts', 'export const b: number = 1;'));
    await expect(slow).rejects.toMatchObject({ name: 'CompileError', code: 'timeout' });
    expect(await next).toMatchObject({ code: expect.stringContaining('const b = 1') });
    await pool.close();
  });

  it('limit their queue and drop requests of the client with the most', async () => {
    const pool = createCompilePool();
    const all = Array.from({ length: 600 }, () => pool.run(ask('a.ts', 'let a: 1;')));
    const outcomes = Promise.allSettled(all);
    const other = { ...client, key: 'address 198.51.100.7' };
    const asked = { ...ask('b.ts', 'let b: 1;', other), project: 'two' };
    expect(await pool.run(asked)).toMatchObject({ code: expect.stringContaining('let b') });
    const dropped = (await outcomes).filter(({ status }) => status === 'rejected');
    // One file is compiled, 500 wait, and the other client's replaces the last one.
    expect(dropped.length).toBe(100);
    await pool.close();
  });
});
