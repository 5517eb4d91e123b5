import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withoutUrlModule } from '../src/server/bundle-cache.ts';
import { setUpChromium } from './rig/chromium.ts';

/**
 * Runs the examples in the README of every package as they are written there, and compares what they
 * print with what the README says. An example is a `ts` block, its output the `text` block after it.
 */
const packagesFolder = fileURLToPath(new URL('../../', import.meta.url));
const examplesFolder = fileURLToPath(new URL('../../../.cache/readmes/', import.meta.url));
const names = (await readdir(packagesFolder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Packages whose examples run in a page of the rig's app; all others run in Node. */
const browserPackages = new Set(['collaboration', 'editor', 'sandbox']);

const at = setUpChromium();

test.each(names)(
  'the examples in the README of %s print what the README says',
  async (name) => {
    const folder = join(packagesFolder, name);
    const readme = await readFile(join(folder, 'README.md'), 'utf8');
    const examples = [...readme.matchAll(/^```ts\n(.+?)^```\n.*?^```text\n(.+?)^```\n/gms)];
    expect(examples, `packages/${name}/README.md has no example`).not.toEqual([]);
    const run = browserPackages.has(name) ? expectInPage : expectInNode;
    for (const [, code = '', output = ''] of examples) await run(folder, code, output.trimEnd());
  },
  // Starting PostgreSQL or a first build takes seconds, and many times that on a busy machine.
  90_000,
);

/** Runs code with `folder` as the working directory. Its temporary files are removed afterwards. */
async function expectInNode(folder: string, code: string, output: string): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'vitrine-readme-'));
  // When the tests run as root, PostgreSQL runs as another user.
  await chmod(temporary, 0o711);
  // Inside of the repository, so that imports find its packages.
  const file = join(examplesFolder, `${basename(folder)}.ts`);
  await mkdir(examplesFolder, { recursive: true });
  await writeFile(file, code);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: folder,
      // Packages come from node_modules, as on a machine without a registry.
      env: { ...process.env, TMPDIR: temporary, npm_config_registry: 'http://127.0.0.1:9/' },
    });
    expect(stdout.trimEnd()).toBe(output);
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs code as the script of a page of the app, whose server serves previews. */
async function expectInPage(folder: string, code: string, output: string): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    outfile: '/readme.js',
    bundle: true,
    plugins: [withoutUrlModule],
    format: 'esm',
    target: 'es2024',
    write: false,
  });
  const script = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
  const files = new Map([
    [
      '/readme',
      '<!doctype html><body style="height: 300px"><script type="module" src="/readme.js"></script>',
    ],
    ['/readme.js', script],
  ]);
  at.rig.tamper = ({ host, pathname }, response) => {
    const text = host === new URL(at.rig.appOrigin).host ? files.get(pathname) : undefined;
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    return text === undefined
      ? response
      : new Response(text, { headers: { 'Content-Type': type } });
  };
  const printed: string[] = [];
  at.page.on('console', (message) => {
    if (message.location().url === `${at.rig.appOrigin}/readme.js`) printed.push(message.text());
  });
  at.page.on('pageerror', (error) => printed.push(String(error)));
  await at.page.goto(`${at.rig.appOrigin}/readme`);
  await expect.poll(() => printed.join('\n'), { timeout: 60_000 }).toBe(output);
}
