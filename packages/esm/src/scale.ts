/** How many bytes of a built file are sent, compressed. A build never changes, so each is asked once. */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compressBrotli } from './answers.ts';
import type { BuiltPackage } from './obtain.ts';
import { isRecord } from './specs.ts';

export interface Scale {
  /** File → bytes, for these files of a build. */
  weigh(built: BuiltPackage, files: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** Where weights are kept, by the name of the build's folder. */
export interface KeptWeights {
  read(build: string): Promise<Buffer | undefined>;
  write(build: string, content: Buffer): Promise<void>;
}

/** Builds whose weights are known in memory. */
const keptBuilds = 1_000;

export function createScale(kept: KeptWeights): Scale {
  const known = new Map<string, Map<string, number>>();

  const find = async (build: string): Promise<Map<string, number>> => {
    const weights = known.get(build) ?? parseWeights(await kept.read(build));
    known.set(build, weights);
    const [oldest] = known.keys();
    if (known.size > keptBuilds && oldest !== undefined) known.delete(oldest);
    return weights;
  };

  return {
    async weigh({ folder }, files) {
      const build = basename(folder);
      const weights = await find(build);
      const missing = files.filter((file) => !weights.has(file));
      for (const file of missing) {
        const small = await compressBrotli(await readFile(join(folder, file)));
        weights.set(file, small.byteLength);
      }
      if (missing.length > 0) {
        await kept.write(build, Buffer.from(JSON.stringify(Object.fromEntries(weights))));
      }
      return weights;
    },
  };
}

function parseWeights(content: Buffer | undefined): Map<string, number> {
  // Our own writing, whole or not there.
  const weights: unknown = content === undefined ? {} : JSON.parse(content.toString());
  const entries = Object.entries(isRecord(weights) ? weights : {});
  return new Map(entries.map(([file, bytes]) => [file, Number(bytes)]));
}
