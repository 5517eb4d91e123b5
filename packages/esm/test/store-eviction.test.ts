import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOldestFiles } from '../src/store/store-eviction.ts';

test('removes the older half of the files when there are too many, and none before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-files-'));
  try {
    for (let index = 0; index < 6; index++) {
      const path = join(folder, String(index));
      await writeFile(path, '');
      await utimes(path, 1_000 - index, 1_000 - index);
    }
    await removeOldestFiles(folder, 6);
    expect(await readdir(folder)).toHaveLength(6);
    await removeOldestFiles(folder, 5);
    expect((await readdir(folder)).toSorted()).toEqual(['0', '1', '2']);
    await removeOldestFiles(join(folder, 'absent'), 5);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
