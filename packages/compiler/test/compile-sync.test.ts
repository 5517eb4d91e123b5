/** Checks that synchronous compilation in the app's page has the same output as in its worker. */
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  compileFile,
  compileScriptSync,
  createModuleContext,
  readProjectConfig,
} from '../src/index.ts';
import { transformScript } from '../src/native.ts';

const folder = new URL('./corpus/', import.meta.url);
const names = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.replace(/\.txt$/, ''));
const packages = { origin: 'http://vitrine.localhost:4000', fullExportUrls: new Set<string>() };
const context = createModuleContext(readProjectConfig(new Map()), packages);

async function read(name: string): Promise<{ path: string; text: string }> {
  return { path: `src/${name}`, text: await readFile(new URL(`${name}.txt`, folder), 'utf8') };
}

it.each(names)(
  '%s is compiled synchronously with the same output as in the worker, or not at all',
  async (name) => {
    const source = await read(name);
    const whole = await compileFile(source, context, new Map(), {
      loadTransform: () => Promise.resolve(transformScript),
      loadTailwindSheets: () => Promise.reject(new Error('not needed')),
    });
    const atOnce = compileScriptSync(source, context, transformScript);
    if (atOnce) expect(atOnce).toEqual(whole);
    else expect(source.text).toMatch(/@\w|accessor/);
  },
);

it('leaves TypeScript and JSX to the worker without a transform', () => {
  const compile = (path: string, text: string) =>
    compileScriptSync({ path, text }, context, undefined);
  expect(compile('a.ts', 'export const a: number = 1')).toBeUndefined();
  expect(compile('a.js', 'export const a = <p />')).toBeUndefined();
  expect(compile('a.js', 'export const a = 1')).toMatchObject({ problems: [] });
});

it.each(['a.vue', 'a.svelte', 'a.svelte.ts', 'a.css', 'a.html', 'a.md', 'a.txt'])(
  'leaves %s to the worker',
  (path) => {
    expect(compileScriptSync({ path, text: '' }, context, transformScript)).toBeUndefined();
  },
);
