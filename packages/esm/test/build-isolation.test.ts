import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { getSandboxCommand } from '@vitrine/processes';
import { defaultLimits } from '../src/build/build-package.ts';
import { openPackageFiles } from '../src/build/package-files.ts';
import { withBuilt, writeFiles, type Built, type Files } from './fixtures/built-package.ts';

/** A package whose build takes a moment. */
const many: Files = Object.fromEntries(
  Array.from({ length: 400 }, (_, n) => [
    `m${n}.js`,
    `export const v${n} = ${JSON.stringify('x'.repeat(20_000))};`,
  ]),
);
const large: Files = {
  'package.json': { name: 'pkg', exports: './index.js' },
  'index.js': Object.keys(many)
    .map((path) => `export * from "./${path}";`)
    .join('\n'),
  ...many,
};

let temporaryFolder = '';
beforeEach(async () => {
  temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-isolation-'));
  await writeFile(join(temporaryFolder, 'secret.txt'), 'root: the secret');
});
afterEach(() => rm(temporaryFolder, { recursive: true, force: true }));

/** Everything that a build wrote, including source maps and the manifest. */
async function everything({ folder }: Built): Promise<string> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.join('\n');
}

describe('PK-07, PK-08: a build reads the files of its package and nothing else', () => {
  const reaching = (secret: string): [string, Files][] => [
    ['a relative import', { 'index.js': `import "../../../../../../..${secret}";` }],
    ['an absolute import', { 'index.js': `import x from "${secret}"; export default x;` }],
    ['a file URL', { 'index.js': `import x from "file://${secret}"; export default x;` }],
    [
      'a required absolute path',
      { 'index.js': `module.exports = require("../../../../../../..${secret}");` },
    ],
    [
      'exports outside of the package',
      {
        'package.json': {
          name: 'pkg',
          exports: { '.': './index.js', './x': '../secret.txt', './y/*': `./../../*` },
        },
        'index.js': 'export const a = 1;',
      },
    ],
    [
      'imports outside of the package',
      {
        'package.json': {
          name: 'pkg',
          exports: './index.js',
          imports: { '#x': './../secret.txt' },
        },
        'index.js': 'import x from "#x"; export default x;',
      },
    ],
    [
      'a browser map to outside of the package',
      {
        'package.json': { name: 'pkg', main: 'index.js', browser: { './a.js': '../secret.txt' } },
        'index.js': 'import x from "./a.js"; export default x;',
        'a.js': 'export default 1;',
      },
    ],
    [
      'a main field outside of the package',
      { 'package.json': { name: 'pkg', main: '../secret.txt' }, 'index.js': '' },
    ],
    [
      'a source map comment',
      { 'index.js': `export const a = 1;\n//# sourceMappingURL=../../../../../../..${secret}` },
    ],
    [
      'a source map with sources',
      {
        'index.js': 'export const a = 1;\n//# sourceMappingURL=index.js.map',
        'index.js.map': {
          version: 3,
          sources: [secret, `file://${secret}`],
          names: [],
          mappings: 'AAAA',
        },
      },
    ],
    [
      'a style sheet',
      {
        'index.js': 'import "./a.css";',
        'a.css': `@import "..${secret}"; @import url("file://${secret}"); .a { background: url(${secret}) }\n/*# sourceMappingURL=..${secret} */`,
      },
    ],
    ['a worker', { 'index.js': `new Worker(new URL("..${secret}", import.meta.url))` }],
    [
      'settings of esbuild and other tools',
      {
        'package.json': { name: 'pkg', main: 'index.js', esbuild: { inject: [secret] } },
        'tsconfig.json': {
          extends: secret,
          compilerOptions: { jsx: 'react', paths: { '*': [secret] } },
        },
        'index.js': 'import "anything"; export const a = 1;',
      },
    ],
  ];
  const names = reaching('').map(([name]) => name);

  test.each(names)('%s', async (name) => {
    const files =
      reaching(join(temporaryFolder, 'secret.txt')).find(([own]) => own === name)?.[1] ?? {};
    const found = await withBuilt(files, everything).catch((error: unknown) =>
      JSON.stringify(error, ['code', 'details', 'message']),
    );
    expect(found).not.toContain('root: the secret');
  });

  test('makes the source map from the published files, whatever a comment contains', () => {
    const sources = { version: 3, sources: ['/etc/passwd'], names: [], mappings: 'AAAA' };
    const inline = Buffer.from(JSON.stringify(sources)).toString('base64');
    const text = `export const a = 1;\n//# sourceMappingURL=data:application/json;base64,${inline}`;
    return withBuilt({ 'index.js': text }, async ({ read }) => {
      const map = JSON.parse(await read('index.js.map')) as { sources: string[] };
      expect(map.sources).toContain('index.js');
      expect(map.sources).not.toContain('/etc/passwd');
    });
  });

  test('ignores a symbolic link in the folder', async () => {
    const folder = join(temporaryFolder, 'package');
    await writeFiles(folder, { 'index.js': 'export {}' });
    await symlink(join(temporaryFolder, 'secret.txt'), join(folder, 'secret.txt'));
    await symlink(temporaryFolder, join(folder, 'all'));
    const files = openPackageFiles(folder);
    expect([...files.sizes.keys()].sort()).toEqual(['index.js', 'package.json']);
    expect(() => files.readText('secret.txt')).toThrow('No such file');
    expect(() => files.readText('../secret.txt')).toThrow('No such file');
  });
});

test('PK-10: runs no code of a package while building it', async () => {
  const canary = join(temporaryFolder, 'canary');
  const write = `require("fs").writeFileSync(${JSON.stringify(canary)}, "ran")`;
  const files: Files = {
    'package.json': {
      name: 'pkg',
      main: 'index.js',
      scripts: {
        preinstall: `touch ${canary}`,
        install: `touch ${canary}`,
        postinstall: `touch ${canary}`,
      },
      browserslist: ['extends ./evil.js'],
      postcss: { plugins: { './evil.js': {} } },
      babel: { plugins: ['./evil.js'] },
    },
    'index.js': `${write}; import("./evil.js"); exports.a = 1; exports.b = (() => ${write})();`,
    'evil.js': `module.exports = ${write};`,
    'postcss.config.js': write,
    'babel.config.js': write,
    '.babelrc.js': write,
    'esbuild.config.js': write,
    'binding.gyp': '{}',
    'native.node': new Uint8Array([127, 69, 76, 70]),
    'style.css': '.a {}',
  };
  await withBuilt(files, async ({ manifest }) => {
    expect(manifest.entries['.']?.names).toEqual(expect.arrayContaining(['a', 'b']));
  });
  expect(existsSync(canary)).toBe(false);
});

test.runIf(getSandboxCommand().length > 0)(
  'PK-10: builds without network access where the system supports that',
  () => {
    const [file = '', ...rest] = getSandboxCommand();
    const connect = `require('net').connect(53, '1.1.1.1').on('error', (e) => { console.log(e.code); })`;
    const { stdout } = spawnSync(file, [...rest, process.execPath, '-e', connect], {
      encoding: 'utf8',
    });
    expect(stdout.trim()).toBe('ENETUNREACH');
  },
);

test.runIf(getSandboxCommand().length > 0)(
  'PK-10, PK-11: builds in that sandbox, with an empty environment',
  async () => {
    const building = withBuilt(large, () => Promise.resolve());
    const id = await findBuildProcess();
    const [network, environment] = await Promise.all([
      readlink(`/proc/${id}/ns/net`),
      readFile(`/proc/${id}/environ`, 'utf8'),
    ]);
    await building;
    expect(network).not.toBe(await readlink('/proc/self/ns/net'));
    // Only the number and the format of the channel to this process.
    expect(environment.replace(/NODE_CHANNEL_\w+=\w+\0/g, '')).toBe('');
  },
);

/** The build process, once it runs the program that it was started for. */
async function findBuildProcess(): Promise<string> {
  for (;;) {
    for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const read = (file: string) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
      const isOurs = (await read('status')).includes(`\nPPid:\t${process.pid}\n`);
      if (isOurs && (await read('cmdline')).split('\0')[0] === process.execPath) return id;
    }
  }
}

test('PK-11: shows a package nothing of the environment but NODE_ENV', async () => {
  process.env.VITRINE_CANARY = 'secret of the server';
  try {
    const code =
      'export const all = process.env; export const one = process.env.VITRINE_CANARY; export const home = [process.env.HOME, process.env["PATH"]]; export const mode = process.env.NODE_ENV;';
    await withBuilt(
      { 'package.json': { name: 'pkg', exports: './i.js' }, 'i.js': code },
      async (built) => {
        const text = await built.read('index.js');
        const own = text.replace(/\n\/\/# sourceMappingURL.*/, '');
        const module = (await import(`data:text/javascript,${encodeURIComponent(own)}`)) as object;
        expect({ ...module }).toEqual({
          all: { NODE_ENV: 'development' },
          one: undefined,
          home: [undefined, undefined],
          mode: 'development',
        });
        expect(await everything(built)).not.toContain('secret of the server');
      },
    );
  } finally {
    delete process.env.VITRINE_CANARY;
  }
});

describe('kills a build that exceeds a limit, with all its processes:', () => {
  test('time', async () => {
    const started = performance.now();
    await expect(
      withBuilt(large, () => Promise.resolve(), {}, { ...defaultLimits, timeMs: 60 }),
    ).rejects.toMatchObject({
      code: 'package_build_failed',
      details: expect.stringContaining('longer than'),
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('output size', async () => {
    await expect(
      withBuilt(large, () => Promise.resolve(), {}, { ...defaultLimits, outputMb: 1 }),
    ).rejects.toMatchObject({ code: 'package_too_large' });
  });

  test.runIf(process.platform === 'linux')('of memory', async () => {
    await expect(
      withBuilt(large, () => Promise.resolve(), {}, { ...defaultLimits, memoryMb: 20 }),
    ).rejects.toMatchObject({
      code: 'package_build_failed',
      details: expect.stringContaining('memory'),
    });
  });
});

test('PK-22: builds the same bytes in two processes', async () => {
  const files: Files = {
    'package.json': {
      name: 'pkg',
      exports: { '.': './index.js', './b': './b.cjs', './s.css': './s.css', './*': './more/*.js' },
    },
    'index.js':
      'export * from "./more/one.js"; export { default } from "./b.cjs"; import "./s.css";',
    'b.cjs': 'exports.n = require("./more/two.js").two;',
    'more/one.js':
      'import { two } from "./two.js"; export const one = two - 1; export * from "dep";',
    'more/two.js': 'export const two = 2; export const lazy = () => import("./one.js");',
    's.css': '.a { color: red }',
  };
  const hash = async ({ folder }: Built) => {
    const names = (await readdir(folder)).sort();
    const sums = names.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      return `${name} ${createHash('sha256').update(bytes).digest('hex')}`;
    });
    return Promise.all(sums);
  };
  const [first, second] = await Promise.all([withBuilt(files, hash), withBuilt(files, hash)]);
  expect(first).toEqual(second);
  expect(first.length).toBeGreaterThan(5);
});
