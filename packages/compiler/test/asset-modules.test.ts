import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAssetModule, getImportQuery } from '../src/index.ts';
import { findJsonErrorIndex } from '../src/error-messages/find-json-error.ts';

function moduleOf(path: string, text: string): string {
  return createAssetModule({ path, text, code: null, module: null }, '?module');
}

async function load(text: string): Promise<Record<string, unknown>> {
  const module = moduleOf('data.json', text);
  return (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as Record<
    string,
    unknown
  >;
}

describe('a JSON module', () => {
  it('exports the value, and its members with valid names', async () => {
    const text = '{"a":[1],"b-c":2,"default":3,"class":4,"json":5,"__proto__":6,"$d":"é\\u2028"}';
    const module = await load(text);
    expect(JSON.stringify(module['default'])).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.keys(module).sort()).toEqual(['$d', 'a', 'default']);
  });

  it.each(['[1,2]', '"text"', 'null', '3'])('has only a default export for %s', async (text) => {
    const module = await load(text);
    expect(module['default']).toEqual(JSON.parse(text));
    expect(Object.keys(module)).toEqual(['default']);
  });

  it('fails at the position of the error', async () => {
    const failed = load('{\n  "a": 1,\n  "b": ]\n}');
    await expect(failed).rejects.toThrow(SyntaxError);
    const text = moduleOf('data.json', '{\n  "a": 1,\n  "b": ]\n}');
    expect(text.split('\n')[2]).toMatch(/^ {7}this is not JSON: "data\.json: /);
  });
});

it.each([
  ['', 0],
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ["{'a': 1}", 1],
  ['[1, 2', 5],
  ['[1 2]', 3],
  ['// no\n1', 0],
  ['{"a": "x\n"}', 6],
  ['1 2', 2],
  ['[01]', 2],
])('the error in %j is at %i', (text, index) => {
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(findJsonErrorIndex(text)).toBe(index);
});

it('finds no error in valid JSON', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(findJsonErrorIndex(`${text} `)).toBe(text.length + 1);
      expect(findJsonErrorIndex(`${text}]`)).toBe(text.length);
    }),
  );
});

it.each([
  ['a.json', '?module'],
  ['a.css', '?module'],
  ['a.module.scss', '?module'],
  ['notes.md', '?module'],
  ['a.svg', '?url'],
  ['A.PNG', '?url'],
  ['a.js', undefined],
  ['json', undefined],
])('an import of %s has the query %s', (path, query) => {
  expect(getImportQuery(path)).toBe(query);
});

it('links a stylesheet by its URL', () => {
  expect(moduleOf('b c/a.css', '')).toContain('"/b%20c/a.css"');
});

it('exports the text or the URL of any file', () => {
  const file = { path: 'a b.svg', text: '<svg>\u2028"', code: null, module: null };
  expect(createAssetModule(file, '?url')).toBe('export default "/a%20b.svg";\n');
  expect(createAssetModule(file, '?raw')).toBe('export default "<svg>\u2028\\"";\n');
});
