import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evictOldest } from '../src/store-eviction.ts';
import { openStore } from '../src/store.ts';

test('lets go of what was not used for longest, whole, and keeps what is in use', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-store-'));
  try {
    const store = await openStore({ folder, maxBytes: 1e9 });
    const place = (index: number) =>
      store.unpacked({ name: `p${index}`, version: '1.0.0', integrity: 'sha512-x' }, (into) =>
        writeFile(join(into, 'file'), 'x'.repeat(100)),
      );
    const paths = await Promise.all(Array.from({ length: 10 }, (_, index) => place(index)));
    const hour = 3_600_000;
    for (const [index, path] of paths.entries()) {
      const used = new Date(Date.now() - (index < 9 ? (index + 1) * hour : 0));
      await utimes(path, used, used);
    }
    await evictOldest(folder, 500);
    const kept = await Promise.all(
      paths.map((path) =>
        stat(path).then(
          () => true,
          () => false,
        ),
      ),
    );
    // Four fifths of five hundred; the last one was used just now.
    expect(kept).toEqual([true, true, true, ...Array<boolean>(6).fill(false), true]);
    expect(await readdir(join(folder, 'temporary'))).toEqual([]);
    expect(await place(8)).toBe(paths[8]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
