import { builderGeneration, type LinkTable } from '@vitrine/project';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ExactAddress } from './address.ts';

/*
 * Node's built-in modules, as far as a browser can have them: a package of our installation, built
 * like every other, with one address for all projects.
 */

/** `node:buffer` is served at `…/buffer`. */
export const builtinsAddress = `/npm/-/node/${builderGeneration}`;

const name = '@jspm/core';
const require = createRequire(import.meta.url);

/** Where the package stands. */
export function findBuiltinsFolder(): string {
  // Its package.json is not exported; this module is, two folders below it.
  const inside = require.resolve(`${name}/nodelibs/buffer`);
  return dirname(dirname(dirname(inside)));
}

/** A table like those of a lock, for what comes with the installation. */
export function builtinsTable(): LinkTable {
  const manifest: unknown = require(join(findBuiltinsFolder(), 'package.json'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : '0.0.0';
  const integrity = 'installed';
  return {
    builder: builderGeneration,
    mode: 'production',
    name,
    version,
    integrity,
    dependencies: {},
  };
}

/** The parts after `/npm/-/node/`: the builder's generation, then a module or one of its chunks. */
export function parseBuiltin(parts: readonly string[], table: LinkTable): ExactAddress | undefined {
  const [generation, first, ...rest] = parts;
  if (generation !== String(builderGeneration) || first === undefined) return undefined;
  const isChunk = first === '-chunk' && rest.length > 0;
  return {
    kind: 'exact',
    name: table.name,
    version: table.version,
    link: '',
    base: builtinsAddress,
    part: isChunk ? 'chunk' : 'module',
    path: isChunk ? rest.join('/') : ['./nodelibs', first, ...rest].join('/'),
  };
}
