import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBundleCached } from '../src/server/bundle-cache.ts';

let location: string;
let folder: string;

beforeEach(async () => {
  location = await mkdtemp(join(tmpdir(), 'vitrine-builds-'));
  folder = join(location, 'kept');
  await writeFile(join(location, 'a.ts'), `import { b } from './b.ts';\nconsole.log(b);`);
  await writeFile(join(location, 'b.ts'), `export const b: string = 'first';`);
});
afterEach(() => rm(location, { recursive: true, force: true }));

async function build(more: { minify?: boolean } = {}, into = folder): Promise<string> {
  const entryPoints = { a: join(location, 'a.ts') };
  const { files, entries } = await buildBundleCached({ entryPoints, ...more }, into);
  expect(entries).toEqual(['a.js']);
  return files.get('a.js') ?? '';
}

/** Changes stored bundles, to see whether a result comes from the cache. */
async function mark(change: (text: string) => string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    await writeFile(path, change(await readFile(path, 'utf8')));
  }
}

describe('a cached bundle', () => {
  it('is built once, until an input changes', async () => {
    expect(await build()).toContain('first');
    await mark((text) => text.replace('first', 'kept'));
    expect(await build()).toContain('kept');
    await writeFile(join(location, 'b.ts'), `export const b: string = 'second';`);
    expect(await build()).toContain('second');
    await rm(join(location, 'b.ts'));
    await writeFile(join(location, 'a.ts'), `console.log('alone');`);
    expect(await build()).toContain('alone');
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('is a different one with different options', async () => {
    const whole = await build();
    expect((await build({ minify: true })).length).toBeLessThan(whole.length);
    expect(await build()).toBe(whole);
  });

  it('is built again if the stored one is incomplete', async () => {
    await build();
    await mark((text) => text.slice(0, -9));
    expect(await build()).toContain('first');
  });

  it('is built if nothing can be stored', async () => {
    expect(await build({}, join(location, 'a.ts', 'below a file'))).toContain('first');
  });
});
