import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleModules, type ModuleToBundle } from '../src/build/bundle-modules.ts';
import { writeFacade, type BundleManifest } from '../src/build/bundle-manifest.ts';
import { listExportNames } from '../src/build/export-names.ts';
import { assignGroupChunks, assignSharedGroupChunks } from '../src/groups/group-chunks.ts';
import { redirectToBundles } from '../src/groups/bundled-imports.ts';

const base = '/npm/head@1.0.0~aaaaaaaaaaaaaaaa';
const addressOf = (index: number) => (index === 0 ? base : `${base}/-in/m${index}`);

/** Which module imports which, in order. Cycles are allowed. */
type Graph = readonly (readonly number[])[];

const graphs = (count: number, isAllowed: (from: number, to: number) => boolean) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, from) =>
      fc
        .uniqueArray(fc.integer({ min: 0, max: count - 1 }), { maxLength: 4 })
        .map((list) => list.filter((to) => to !== from && isAllowed(from, to))),
    ),
  );

/** Modules that record when they run, and export functions which return what they import. */
function textsOf(graph: Graph): string[] {
  return graph.map((list, index) => {
    const imports = list.map((to) =>
      (to + index) % 3 === 0
        ? `import * as v${to} from "${addressOf(to)}";`
        : `import { tell as v${to} } from "${addressOf(to)}";`,
    );
    return `${imports.join('\n')}
      (globalThis.ran ??= []).push(${index});
      export function tell() { return ${index}; }
      export default () => [${list.map((to) => `typeof v${to}`).join(', ')}];`;
  });
}

function familyOf(graph: Graph, texts: readonly string[]) {
  return new Map(
    texts.map((text, index) => [
      addressOf(index),
      { text, imports: (graph[index] ?? []).map(addressOf), needsMissing: false, needsNode: false },
    ]),
  );
}

/** Text of each module as it is served when the modules are bundled. */
async function serveJoined(
  texts: readonly string[],
  modules: readonly ModuleToBundle[],
): Promise<Map<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-join-'));
  try {
    await bundleModules(folder, { mode: 'development', base, modules });
    const read = (file: string) => readFile(join(folder, file), 'utf8');
    const manifest = JSON.parse(await read('manifest.json')) as BundleManifest;
    const served = texts.map((text, index): [string, string] => {
      const joined = manifest.modules[addressOf(index)];
      const own = joined
        ? writeFacade(base, joined)
        : redirectToBundles(text, [{ base, folder, manifest }]);
      return [addressOf(index), own];
    });
    for (const file of await readdir(folder)) {
      if (file.endsWith('.js')) served.push([`${base}/-join/${file}`, await read(file)]);
    }
    return new Map(served);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Case {
  readonly modules: ReadonlyMap<string, string>;
  readonly start: string;
}

/** Runs each case in a realm of its own, and returns what it recorded, or its error. */
async function runAll(cases: readonly Case[]): Promise<unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-run-'));
  const nameOf = (address: string) => `${address.replaceAll(/[^\w.-]/g, '_')}.mjs`;
  try {
    for (const [number, { modules }] of cases.entries()) {
      await mkdir(join(folder, String(number)));
      for (const [address, text] of modules) {
        const own = text
          .replaceAll(/"(\/npm\/[^"]+)"/g, (_, to: string) => `"./${nameOf(to)}"`)
          .replaceAll('globalThis.ran', `globalThis.ran${number}`);
        await writeFile(join(folder, String(number), nameOf(address)), own);
      }
    }
    const starts = cases.map(({ start }, number) => `./${number}/${nameOf(start)}`);
    const program = `const all = [];
      for (const [number, start] of ${JSON.stringify(starts)}.entries()) {
        const told = await import(start).then((main) => main.default?.(), String);
        all.push([globalThis["ran" + number], told]);
      }
      console.log(JSON.stringify(all));`;
    await writeFile(join(folder, 'main.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs')]);
    return JSON.parse(stdout) as unknown[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('runs the modules of a main module in the same order when bundled, whatever its cycles', async () => {
  const samples = fc.sample(
    graphs(9, () => true),
    { numRuns: 40, seed: 20261121 },
  );
  const alone: Case[] = [];
  const joined: Case[] = [];
  for (const graph of samples) {
    const texts = textsOf(graph);
    const modules = assignGroupChunks(familyOf(graph, texts), base, new Set());
    if (modules.length === 0) continue;
    alone.push({ modules: new Map(texts.map((text, i) => [addressOf(i), text])), start: base });
    joined.push({ modules: await serveJoined(texts, modules), start: base });
  }
  expect(joined.length).toBeGreaterThan(20);
  const [expected, got] = [await runAll(alone), await runAll(joined)];
  for (const [index, outcome] of expected.entries()) {
    expect(got[index], JSON.stringify(samples[index])).toEqual(outcome);
  }
});

test('runs each module after its imports when another entry shares some of them', async () => {
  const sample = fc.tuple(
    graphs(10, (from, to) => from < to),
    fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
  );
  const cases: Case[] = [];
  const orders: Graph[] = [];
  for (const [graph, seen] of fc.sample(sample, { numRuns: 40, seed: 20261122 })) {
    const texts = textsOf(graph);
    const modules = assignGroupChunks(familyOf(graph, texts), base, new Set(seen.map(addressOf)));
    if (modules.length === 0) continue;
    const served = await serveJoined(texts, modules);
    const other = `${base}/other`;
    served.set(other, seen.map((index) => `import "${addressOf(index)}";`).join('\n'));
    cases.push({ modules: served, start: base }, { modules: served, start: other });
    orders.push(graph, graph);
  }
  expect(cases.length).toBeGreaterThan(40);
  for (const [number, outcome] of (await runAll(cases)).entries()) {
    const [ran] = outcome as [number[] | null];
    expect(new Set(ran ?? []).size, 'each once').toBe(ran?.length ?? 0);
    for (const [at, index] of (ran ?? []).entries()) {
      const before = new Set(ran?.slice(0, at));
      const needs = orders[number]?.[index] ?? [];
      expect(
        needs.filter((need) => !before.has(need)),
        `case ${number}, module ${index}`,
      ).toEqual([]);
    }
  }
});

test('loads for roots that share modules what each would load alone, once, after its imports', async () => {
  const starts = fc.uniqueArray(fc.integer({ min: 0, max: 9 }).map(addressOf), { minLength: 1 });
  const sample = fc.tuple(
    graphs(10, (from, to) => from < to),
    fc.tuple(starts, starts, starts),
    fc.constantFrom([], ['/npm/b']),
  );
  const alone: Case[] = [];
  const joined: Case[] = [];
  const orders: Graph[] = [];
  for (const [graph, [ofA, ofB, ofC], others] of fc.sample(sample, { numRuns: 30, seed: 2611 })) {
    const texts = textsOf(graph);
    const loads = new Map([
      ['/npm/a', { starts: ofA, roots: others }],
      ['/npm/b', { starts: ofB, roots: [] }],
      ['/npm/c', { starts: ofC, roots: [] }],
    ]);
    const heads = [...loads].map(([head, { starts: own, roots: led }]): [string, string] => [
      head,
      [...own, ...led].map((to) => `import "${to}";`).join('\n'),
    ]);
    const plain = texts.map((text, index): [string, string] => [addressOf(index), text]);
    const served = await serveJoined(texts, assignSharedGroupChunks(familyOf(graph, texts), loads));
    for (const start of loads.keys()) {
      alone.push({ modules: new Map([...plain, ...heads]), start });
      joined.push({ modules: new Map([...served, ...heads]), start });
      orders.push(graph);
    }
  }
  const [expected, got] = [await runAll(alone), await runAll(joined)];
  for (const [number, outcome] of got.entries()) {
    const [ran] = outcome as [number[]];
    const [before] = expected[number] as [number[]];
    expect(ran.length, `case ${number}`).toBe(before.length);
    expect(new Set(ran), `case ${number}`).toEqual(new Set(before));
    for (const [at, index] of ran.entries()) {
      const needs = orders[number]?.[index] ?? [];
      expect(ran.slice(0, at), `case ${number}`).toEqual(expect.arrayContaining([...needs]));
    }
  }
});

test("leaves out modules that import a module that couldn't be built", () => {
  const graph = [[1, 2], [9, 3], [3], [4], []];
  const modules = assignGroupChunks(familyOf(graph, textsOf(graph)), base, new Set());
  expect(modules.map(({ url }) => url)).toEqual([3, 4, 2].map(addressOf));
});

test('keeps the exports of a bundled module, including re-exports', async () => {
  const texts = new Map([
    ['a', 'export * from "b"; export * from "c"; export * from "outside"; export const own = 1;'],
    ['b', 'export const own = 2, twice = 2; export { d } from "d"; export default 1;'],
    ['c', 'export const twice = 3; export * from "d"; export { d as "module.exports" } from "d";'],
    ['d', 'export const d = 4, e = 5; export * from "a";'],
  ]);
  const found = listExportNames(texts);
  // `twice` is ambiguous, so it can't be imported.
  expect(found.get('a')?.names.toSorted()).toEqual(['d', 'e', 'module.exports', 'own']);
  expect(found.get('a')?.starExports).toEqual(['outside']);
  expect(found.get('b')?.names.toSorted()).toEqual(['d', 'default', 'own', 'twice']);
});

test('requests the names that several modules import from another package once', async () => {
  const texts = [
    `import "${addressOf(1)}"; import { a } from "/npm/outside?names=a"; export default () => [a];`,
    'import { b, a } from "/npm/outside?names=a,b"; (globalThis.ran ??= []).push(a + b);',
  ];
  const served = await serveJoined(
    texts,
    assignGroupChunks(familyOf([[1], []], texts), base, new Set()),
  );
  served.set('/npm/outside?names=a,b', 'export const a = 1, b = 2;');
  expect(await runAll([{ modules: served, start: base }])).toEqual([[[3], [1]]]);
});

test('keeps names that a bundled module re-exports from outside', async () => {
  const texts = [
    `import { far, near } from "${addressOf(1)}"; export default () => [far, near];`,
    `export * from "/npm/outside"; export const near = 1;`,
  ];
  const family = familyOf([[1], []], texts);
  const served = await serveJoined(texts, assignGroupChunks(family, base, new Set()));
  served.set('/npm/outside', 'export const far = 2;');
  const start = `${base}/start`;
  served.set(
    start,
    `import { far } from "${addressOf(1)}"; import main from "${base}"; export default () => [...main(), far];`,
  );
  expect(await runAll([{ modules: served, start }])).toEqual([[null, [2, 1, 2]]]);
});
