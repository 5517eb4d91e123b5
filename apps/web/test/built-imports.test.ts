import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'vite';
import { expect, test } from 'vitest';

const assets = new URL('../build/client/assets/', import.meta.url);
const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));

/** What a module imports by a name that stands in its text, also while it runs. */
function listImports(text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('source' in value && 'type' in value && /^(?:Im|Ex)port/.test(String(value.type))) {
      const name = nameOf(value.source);
      if (name !== undefined) found.push(name);
    }
    for (const each of Object.values(value)) visit(each);
  };
  visit(parseAst(text).body);
  return found;
}

/** 'a' and `a` → a; undefined for what is computed, and for an export of the module's own. */
function nameOf(source: unknown): string | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  if ('value' in source && typeof source.value === 'string') return source.value;
  if (!('quasis' in source) || !Array.isArray(source.quasis)) return undefined;
  return source.quasis.length === 1 ? String(source.quasis[0].value.cooked) : undefined;
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
