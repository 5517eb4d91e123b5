/** A process that fills a store until it is killed: node store-filler.ts FOLDER. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type BuildKey } from '../src/store.ts';

export const keyOf = (n: number): BuildKey => ({
  name: 'pkg',
  version: `1.0.${n}`,
  integrity: `sha512-${n}`,
  mode: 'development',
});
export const fileCount = 8;
export const contentOf = (n: number, file: number) => `${n}.${file};`.repeat(5_000);

/** Content of a cache file: large, so that a kill is likely to interrupt its write. */
export const keptOf = (n: number) => contentOf(n, 99).repeat(40);

/** Writes the files with key `n`, one after the other. */
export async function fillWith(n: number, folder: string): Promise<void> {
  for (let file = 0; file < fileCount; file += 1) {
    await writeFile(join(folder, `${file}.js`), contentOf(n, file));
  }
}

if (import.meta.main) {
  const store = await openStore({ folder: process.argv[2] ?? '', maxBytes: 1e9 });
  for (let n = 0; ; n += 1) {
    await store.getBuilt(keyOf(n % 40), (folder) => fillWith(n % 40, folder));
    // The test kills this process after a line of output, in the middle of either write.
    process.stdout.write('.');
    await store.writeFile('kind', String(n % 40), keptOf(n % 40));
    process.stdout.write('.');
  }
}
