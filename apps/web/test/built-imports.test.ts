import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findEdits } from '../../../packages/compiler/src/rewrite-module.ts';

const assets = new URL('../build/client/assets/', import.meta.url);
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));

/** What a module imports by a name that stands in its text, also while it runs. */
function listImports(text: string): string[] {
  const found: string[] = [];
  findEdits(text, ({ specifier }) => void found.push(specifier));
  return found;
}

test('every built module imports the app’s own files alone, by relative addresses', () => {
  const imports = scripts.flatMap((name) =>
    listImports(readFileSync(new URL(name, assets), 'utf8')).map((found) => ({ name, found })),
  );
  expect(imports.filter(({ found }) => !/^\.\.?\//.test(found))).toEqual([]);
  expect(imports.some(({ found }) => scripts.includes(found.slice('./'.length)))).toBe(true);
});

test('such an import would be found, however it is written', () => {
  const text =
    'import a from "/npm/a"; export * from "https://b.example/b.js"; const c = () => import(`/c.js`); export { a, c };';
  expect(listImports(text)).toEqual(['/npm/a', 'https://b.example/b.js', '/c.js']);
});
