/**
 * Cache of the compressed sizes of built files. A build never changes, so each file is measured
 * once.
 */
import { isRecord } from '@vitrine/project/is-record';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compressBrotli } from '../responses.ts';
import type { BuiltPackage } from '../build-packages.ts';

/** Cache of compressed file sizes. */
export interface SizeCache {
  /** Returns the compressed size in bytes of these files of a build (and maybe others), by file. */
  measure(built: BuiltPackage, files: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Persistent storage for the sizes of a build, by the name of its folder. */
interface SizeStorage {
  read(build: string): Promise<Buffer | undefined>;
  write(build: string, content: Buffer): Promise<void>;
}

/** Maximum number of builds in memory. */
const maxBuilds = 1_000;

export function createSizeCache(storage: SizeStorage): SizeCache {
  const known = new Map<string, Map<string, number>>();

  const find = async (build: string): Promise<Map<string, number>> => {
    const sizes = known.get(build) ?? parseSizes(await storage.read(build));
    known.set(build, sizes);
    const [oldest] = known.keys();
    if (known.size > maxBuilds && oldest !== undefined) known.delete(oldest);
    return sizes;
  };

  return {
    async measure({ folder }, files) {
      const build = basename(folder);
      const sizes = await find(build);
      const missing = files.filter((file) => !sizes.has(file));
      for (const file of missing) {
        const compressed = await compressBrotli(await readFile(join(folder, file)));
        sizes.set(file, compressed.byteLength);
      }
      if (missing.length > 0) {
        await storage.write(build, Buffer.from(JSON.stringify(Object.fromEntries(sizes))));
      }
      return sizes;
    },
  };
}

function parseSizes(content: Buffer | undefined): Map<string, number> {
  // The file was written by this server, atomically.
  const sizes: unknown = content === undefined ? {} : JSON.parse(content.toString());
  const entries = Object.entries(isRecord(sizes) ? sizes : {});
  return new Map(entries.map(([file, bytes]) => [file, Number(bytes)]));
}
