import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findImportEdits } from '../../../packages/compiler/src/rewrite-module.ts';

const assets = new URL('../build/client/assets/', import.meta.url);
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));

/** Lists the static and dynamic imports of a module with literal specifiers. */
function listImports(text: string, { isStatic = false } = {}): string[] {
  const found: string[] = [];
  findImportEdits(text, ({ specifier, isDynamic }) => {
    if (!(isStatic && isDynamic)) found.push(specifier);
    return undefined;
  });
  return found;
}

/** Finds the modules in static import cycles, and those that import them. */
function findRound(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(imports);
  for (;;) {
    const free = [...left].filter(([, named]) => !named.some((name) => left.has(name)));
    if (free.length === 0) return [...left.keys()];
    for (const [name] of free) left.delete(name);
  }
}

test('every built module imports only the app’s own files, by relative URLs', () => {
  const imports = scripts.flatMap((name) =>
    listImports(readFileSync(new URL(name, assets), 'utf8')).map((found) => ({ name, found })),
  );
  expect(imports.filter(({ found }) => !/^\.\.?\//.test(found))).toEqual([]);
  expect(imports.some(({ found }) => scripts.includes(found.slice('./'.length)))).toBe(true);
});

test('built modules have no import cycles', () => {
  const imports = new Map(
    scripts.map((name) => {
      const text = readFileSync(new URL(name, assets), 'utf8');
      return [name, listImports(text, { isStatic: true }).map((found) => found.slice(2))];
    }),
  );
  expect(findRound(imports)).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(100);
  const planted = new Map([...imports, ['a.js', ['b.js']], ['b.js', ['c.js']], ['c.js', ['a.js']]]);
  expect(findRound(planted)).toEqual(['a.js', 'b.js', 'c.js']);
});

test('every import() of a page lists its files, so that it’s retried', () => {
  const texts = new Map(scripts.map((name) => [name, readFileSync(new URL(name, assets), 'utf8')]));
  const workers = scripts.filter((name) => /-worker-[\w-]{8}\.js$/.test(name));
  expect(workers.length).toBeGreaterThan(4);
  const workerCode = new Set(workers);
  for (const name of workerCode)
    for (const found of listImports(texts.get(name) ?? '')) workerCode.add(found.slice(2));
  const dynamic = /import\(`\.\/[^`]+`\)/g;
  const listed = /import\(`\.\/[^`]+`\)(?:[^`]*?),__vite__mapDeps\(\[\d/g;
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const pages = [...texts].filter(([name]) => !workerCode.has(name));
  const unlisted = pages.filter(([, text]) => count(text, dynamic) !== count(text, listed));
  expect(unlisted.map(([name]) => name)).toEqual([]);
  expect(pages.flatMap(([, text]) => text.match(dynamic) ?? []).length).toBeGreaterThan(80);
});

test('no large module is built twice, for pages and for workers', () => {
  const large = scripts.filter((name) => statSync(new URL(name, assets)).size > 1_000_000);
  const parts = large.map((name) => name.replace(/-[\w-]{8}\.js$/, ''));
  expect(parts.length).toBeGreaterThan(3);
  expect(parts).toEqual([...new Set(parts)]);
});

test('finds such imports in any syntax', () => {
  const text =
    'import a from "/npm/a"; export * from "https://b.example/b.js"; const c = () => import(`/c.js`); export { a, c };';
  expect(listImports(text)).toEqual(['/npm/a', 'https://b.example/b.js', '/c.js']);
});
