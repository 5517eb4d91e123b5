import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { exportStore, importStore } from '../src/store/store-archive.ts';
import { prefetchPackages, type PrefetchResult } from '../src/prefetch.ts';
import { appOrigin, clientOf, withPackageServer } from './package-server-fixture.ts';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-archive-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('prefetches a list into a store, which another machine imports and serves without a registry', () =>
  withPackageServer({}, async ({ registry, server, folder, again }) => {
    const imports = { 'index.js': 'export { b } from "b";', 'sub.js': 'export const sub = 1;' };
    registry.publish({
      name: 'a',
      version: '1.0.0',
      manifest: { dependencies: { b: '1' } },
      files: imports,
    });
    registry.publish({ name: 'b', version: '1.0.0', files: { 'index.js': 'export const b = 1;' } });
    const results: PrefetchResult[] = [];
    const list = '# packages of our course\na@1\n\na/sub.js # a subpath\nmissing\n';
    await prefetchPackages(server, appOrigin, list, (result) => results.push(result));
    expect(results.map(({ spec, failures }) => [spec, failures])).toEqual([
      ['a@1', []],
      ['a/sub.js', []],
      ['missing', ['package_not_found (missing)']],
    ]);
    await registry.close();
    await inFolder(async (elsewhere) => {
      const file = join(elsewhere, 'store.tgz');
      const count = await exportStore(folder, file);
      const store = join(elsewhere, 'store');
      expect(await importStore(store, file)).toBe(count);
      expect(await importStore(store, file)).toBe(0);
      const other = await again({ folder: store });
      const fixture = clientOf(other);
      const { baseOf } = await fixture.add(['a']);
      const module = await fixture.get(baseOf('a'));
      expect(module.status).toBe(200);
      const [b = ''] = /\/npm\/b@[^"]+/.exec(await module.text()) ?? [];
      expect((await fixture.get(b)).status).toBe(200);
      expect((await fixture.get('/npm/a/sub.js')).status).toBe(302);
      await other.close();
    });
  }));

test('rejects an archive that contains something other than files', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'secret'), 'secret');
    await symlink(join(folder, 'secret'), join(folder, 'links'));
    const file = join(folder, 'store.tgz');
    await create({ file, cwd: folder, gzip: true }, ['links']);
    const store = join(folder, 'store');
    await expect(importStore(store, file)).rejects.toThrow(/regular file: links/);
    expect(await readdir(join(store, 'temporary'))).toEqual([]);
  }));
