import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundlePackage } from '../src/build/bundle.ts';
import type { BuildManifest } from '../src/build/manifest.ts';
import { writeFiles, type Files } from './fixtures/built-package.ts';
import { fuzz } from './fuzz.ts';

/** One file of a random package; numbers are other files. */
interface File {
  readonly named: readonly number[];
  readonly whole: readonly number[];
  readonly stars: readonly number[];
  readonly lazy: readonly number[];
  /** Packages whose names are all re-exported. */
  readonly foreign: readonly string[];
  readonly hasDefault: boolean;
  readonly isEntry: boolean;
}

const count = 10;
const names: Readonly<Record<string, string>> = { dep: 'far', other: 'farther' };

/**
 * CommonJS files are ordered between modules that may import them and modules that they may
 * require, because Node rejects cycles through CommonJS. All other imports may form cycles.
 */
const isCommonjs = (index: number) => index === 5 || index === 6;
const layerOf = (index: number) => (index < 5 ? 0 : isCommonjs(index) ? index - 4 : 3);
const mayLoad = (from: number, to: number) =>
  from !== to && layerOf(from) <= layerOf(to) && (isCommonjs(from) ? from < to : true);

const fileAt = (index: number): fc.Arbitrary<File> => {
  const some = (maxLength: number) =>
    fc
      .uniqueArray(fc.nat({ max: count - 1 }), { maxLength })
      .map((list) => list.filter((to) => mayLoad(index, to)));
  return fc.record({
    named: some(3),
    whole: some(2),
    stars: some(2),
    lazy: fc.uniqueArray(fc.nat({ max: count - 1 }), { maxLength: 2 }),
    foreign: fc.oneof(
      { weight: 2, arbitrary: fc.constant<string[]>([]) },
      { weight: 1, arbitrary: fc.subarray(Object.keys(names), { minLength: 1 }) },
    ),
    hasDefault: fc.boolean(),
    isEntry: fc.boolean(),
  });
};

const packages = fc.record({
  files: fc.tuple(...Array.from({ length: count }, (_, index) => fileAt(index))),
  sideEffects: fc.constantFrom(undefined, false, ['./m1.js']),
});

const nameOf = (index: number) => `./m${index}.${isCommonjs(index) ? 'cjs' : 'js'}`;

/**
 * Removes what is not guaranteed: names of CommonJS through `export *`, and in a cycle those of
 * other packages, which esbuild re-exports at run time.
 */
function withoutBlindStars(all: readonly File[]): File[] {
  const loads = (from: number, to: number, seen = new Set<number>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    const { named = [], whole = [], stars = [] } = all[from] ?? {};
    return [...named, ...whole, ...stars].some((next) => loads(next, to, seen));
  };
  return all.map((file, index) => {
    if (isCommonjs(index)) return file;
    const isSeen = (to: number) =>
      !isCommonjs(to) && (foreignNames(all, to).size === 0 || !loads(to, index));
    return { ...file, stars: file.stars.filter(isSeen) };
  });
}

interface Package {
  readonly files: readonly File[];
  readonly sideEffects: unknown;
}

function filesOf({ files: all, sideEffects }: Package): Files {
  const files = withoutBlindStars(all);
  const texts = files.map((file, index) => [
    nameOf(index).slice(2),
    isCommonjs(index) ? writeCommonjs(file, index) : writeModule(files, file, index),
  ]);
  const exports = files.flatMap(({ isEntry }, index) =>
    isEntry && index > 0 ? [[`./m${index}`, nameOf(index)]] : [],
  );
  const json = {
    name: 'pkg',
    type: 'module',
    exports: { '.': './m0.js', ...(Object.fromEntries(exports) as object) },
    sideEffects,
  };
  return { ...(Object.fromEntries(texts) as Files), 'package.json': json };
}

function writeModule(files: readonly File[], file: File, index: number): string {
  const { named, whole, stars, foreign, hasDefault } = file;
  const lazy = file.lazy.filter((to) => !isCommonjs(to));
  const far = named.flatMap((to) => [...foreignNames(files, to)].map((name) => ({ to, name })));
  const seen = [
    ...named.map((to) => `tell${to}()`),
    ...whole.map((to) => `keysOf(whole${to})`),
    ...far.map(({ to, name }) => `${name}${to}`),
  ];
  return [
    ...named.map((to) => `import { tell${to} } from "${nameOf(to)}";`),
    ...whole.map((to) => `import * as whole${to} from "${nameOf(to)}";`),
    ...far.map(({ to, name }) => `import { ${name} as ${name}${to} } from "${nameOf(to)}";`),
    ...stars.map((to) => `export * from "${nameOf(to)}";`),
    ...foreign.map((name) => `export * from "${name}";`),
    'const keysOf = (all) => Object.keys(all).filter((name) => name !== "module.exports").sort();',
    `export function tell${index}() { return ${index}; }`,
    `export function seen${index}() { return [${seen.join(', ')}]; }`,
    ...lazy.map((to) => `export function lazy${index}_${to}() { return import("${nameOf(to)}"); }`),
    hasDefault ? `export default () => "default ${index}";` : '',
  ].join('\n');
}

function writeCommonjs({ named, whole, stars, foreign }: File, index: number): string {
  const seen = [
    ...[...named, ...whole, ...stars].map((to) => `require("${nameOf(to)}").tell${to}()`),
    ...foreign.map((name) => `require("${name}").${names[name]}`),
  ];
  return `exports.tell${index} = () => ${index};\nexports.seen${index} = () => [${seen.join(', ')}];`;
}

/** Names of other packages that an ES module exports. */
function foreignNames(files: readonly File[], index: number, reached = new Set<number>()) {
  const found = new Set<string>();
  if (reached.has(index) || isCommonjs(index)) return found;
  reached.add(index);
  for (const name of files[index]?.foreign ?? []) found.add(names[name] ?? '');
  for (const to of files[index]?.stars ?? [])
    for (const name of foreignNames(files, to, reached)) found.add(name);
  return found;
}

const program = `
const keysOf = (all) => Object.keys(all).filter((name) => name !== 'module.exports').sort();
const isModule = (value) => value?.[Symbol.toStringTag] === 'Module';
async function describe(all) {
  const told = {};
  for (const key of keysOf(all)) {
    const value = typeof all[key] === 'function' ? await all[key]() : all[key];
    told[key] = isModule(value) || key === 'default' ? keysOf(value) : value;
  }
  return told;
}
const tell = (file) => import(file).then(describe).catch(String);
const answers = [];
for (const { source, built, all } of CASES) {
  const errors = await Promise.all(all.map((file) => import(file).then(() => [], (error) => file + ': ' + error)));
  const [expected, got] = [[], []];
  for (const file of source) expected.push(await tell(file));
  for (const file of built) got.push(await tell(file));
  answers.push({ expected, got, errors: errors.flat() });
}
console.log(JSON.stringify(answers));`;

interface Answer {
  readonly expected: unknown;
  readonly got: unknown;
  readonly errors: readonly string[];
}

/** Exports of all entries of a package, as published and as built. */
async function buildCase(temporaryFolder: string, number: number, files: Files) {
  const [source, built] = [
    join(temporaryFolder, `${number}/source`),
    join(temporaryFolder, `${number}/built`),
  ];
  await writeFiles(source, files);
  await mkdir(built);
  const mode = number % 2 === 0 ? 'development' : 'production';
  await bundlePackage(source, built, { name: 'pkg', version: '1.0.0', mode });
  const scripts = (await readdir(built)).filter((file) => file.endsWith('.js'));
  for (const file of scripts) {
    const text = await readFile(join(built, file), 'utf8');
    const own = text
      .replaceAll(/vitrine-base:\/-chunk\//g, './')
      .replaceAll(/vitrine-package(?:\?require)?:/g, '');
    await writeFile(join(built, file), own);
  }
  const { entries } = JSON.parse(
    await readFile(join(built, 'manifest.json'), 'utf8'),
  ) as BuildManifest;
  const json = files['package.json'] as { exports: Record<string, string> };
  // The others are built on request.
  const paths = Object.entries(entries).filter(([subpath]) => subpath in json.exports);
  return {
    source: paths.map(([subpath]) => `./${number}/source/${json.exports[subpath]}`),
    built: paths.map(([, { file }]) => `./${number}/built/${file}`),
    all: scripts.map((file) => `./${number}/built/${file}`),
  };
}

test('writes valid modules, whose entries export what they export in Node', async () => {
  const samples = fc.sample(packages, { numRuns: 15 * fuzz, seed: 20261123 });
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'vitrine-random-'));
  try {
    const own: Files = { 'package.json': { type: 'module' } };
    await writeFiles(temporaryFolder, own);
    for (const [name, far] of Object.entries(names)) {
      const json = { name, type: 'module', exports: './index.js' };
      const text = `export const ${far} = "${far}"; export default "of ${name}";`;
      await writeFiles(join(temporaryFolder, 'node_modules', name), {
        'package.json': json,
        'index.js': text,
      });
    }
    const cases = [];
    for (const [number, sample] of samples.entries())
      cases.push(await buildCase(temporaryFolder, number, filesOf(sample)));
    const main = join(temporaryFolder, 'main.js');
    await writeFile(main, program.replace('CASES', JSON.stringify(cases)));
    const options = { maxBuffer: 2 ** 28 };
    const { stdout } = await promisify(execFile)(process.execPath, [main], options);
    for (const [number, { expected, got, errors }] of (JSON.parse(stdout) as Answer[]).entries()) {
      const shown = JSON.stringify(filesOf(samples[number] ?? { files: [], sideEffects: [] }));
      expect(errors, shown).toEqual([]);
      expect(got, shown).toEqual(expected);
    }
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
});
