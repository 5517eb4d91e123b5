/** Compares both builds of oxc for many kinds of sources: `corpus/KIND/NAME.ts.txt` is the source `NAME.ts`. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { transformScript as native } from '../src/native.ts';
import type { ScriptSettings, TransformScript } from '../src/script/transform-script.ts';
import { compileTransform } from '../src/wasm/load-transform.ts';
import { startTransform } from '../src/wasm/start-transform.ts';

const folder = new URL('./corpus/', import.meta.url);
const names = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.replace(/\.txt$/, ''));
const read = (name: string) => readFile(new URL(`${name}.txt`, folder), 'utf8');

const automatic: ScriptSettings = {
  jsxRuntime: 'automatic',
  jsxImportSource: 'react',
  jsxFactory: undefined,
  jsxFragmentFactory: undefined,
  hasOwnDecorators: true,
  definesFields: true,
  jsxMode: 'development',
  refreshLibrary: null,
};
const ways: Record<string, ScriptSettings> = {
  development: automatic,
  refreshed: { ...automatic, refreshLibrary: 'react' },
  production: { ...automatic, jsxMode: 'production', jsxImportSource: 'preact' },
  classic: { ...automatic, jsxRuntime: 'classic', jsxFactory: 'h', jsxFragmentFactory: 'Fragment' },
  assigned: { ...automatic, definesFields: false },
  preserved: { ...automatic, jsxRuntime: 'preserve' },
  standard: { ...automatic, hasOwnDecorators: false },
};

let wasm: TransformScript;

beforeAll(async () => {
  const file = '@oxc-transform/binding-wasm32-wasi/transform.wasm32-wasi.wasm';
  const bytes = await readFile(fileURLToPath(import.meta.resolve(file)));
  wasm = startTransform(await compileTransform(new Uint8Array(bytes).buffer));
});

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

it('contains sources of every kind', () => {
  expect(names.length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(ways))('with settings for %s', (_, settings) => {
  it.each(names)('%s compiles the same natively and as WebAssembly', async (name) => {
    const text = await read(name);
    expect(hashOf(wasm(`src/${name}`, text, settings))).toBe(
      hashOf(native(`src/${name}`, text, settings)),
    );
  });
});

it.each(names)('%s has errors only in the folder of those', async (name) => {
  const text = await read(name);
  const { code, map, problems } = native(name, text, automatic);
  if (name.startsWith('errors/')) {
    expect(problems.length).toBeGreaterThan(0);
    for (const { message, line, column } of problems) {
      expect(message).toMatch(/^[A-Z“'].*[.”]$/);
      expect(text.split('\n')[line - 1]?.length).toBeGreaterThanOrEqual(column - 1);
    }
  } else {
    expect(problems).toEqual([]);
    expect(code).not.toMatch(/\b(?:interface|satisfies [A-Z])\b/);
    expect(map?.sourcesContent).toEqual([text]);
  }
});

it('compiles the largest file that a project may contain', () => {
  const line = 'export const value: number[] = [1, 2, 3].map((one): number => one * 2);\n';
  const text = `{${line.replace('export ', '')}}\n`.repeat(Math.floor((1024 * 1024) / 75));
  expect(wasm('large.ts', text, automatic).problems).toEqual([]);
});

it.each([
  {
    name: 'errors/token.ts',
    line: 1,
    column: 19,
    message: 'Missing value between “=” and “;”.',
  },
  { name: 'errors/mismatched-tag.tsx', line: 3, column: 16 },
  {
    name: 'errors/end.ts',
    line: 3,
    column: 1,
    message: 'Unexpected end of code: expected “}”.',
  },
  { name: 'errors/redeclared.ts', line: 3, column: 7 },
])('locates $name', async ({ name, ...expected }) => {
  expect(native(name, await read(name), automatic).problems[0]).toMatchObject(expected);
});

it.each(['function find<Name extends string>(name: Name) {}', 'type Pair<One> = [One, One];'])(
  'doesn’t take the type parameter of %j for an unclosed tag',
  (typed) => {
    const [problem] = native('a.ts', `${typed}\nconst = 1;\n`, automatic).problems;
    expect(problem).toMatchObject({ line: 2, column: 7 });
    expect(problem?.message).not.toContain('isn’t closed');
  },
);
