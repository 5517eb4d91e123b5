import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { builderVersion, type ResolutionTable } from './lockfile/resolution-hash.ts';
import type { ExactUrl } from './package-url.ts';

/*
 * Node's built-in modules, as far as browsers can run them: a package of this installation, built
 * like every other package, with one URL for all projects.
 */

/** Base URL of the built-in modules: `node:buffer` is served at `…/buffer`. */
export const builtinsBase = `/npm/-/node/${builderVersion}`;

const name = '@jspm/core';
const require = createRequire(import.meta.url);

/** Folder of the package with the built-in modules. */
export function findBuiltinsFolder(): string {
  // The package doesn't export its package.json. This module is exported, and is two folders below
  // it.
  const inside = require.resolve(`${name}/nodelibs/buffer`);
  return dirname(dirname(dirname(inside)));
}

/** Resolution of the package, like those of packages in a lockfile. */
export function getBuiltinsResolution(): ResolutionTable {
  const manifest: unknown = require(join(findBuiltinsFolder(), 'package.json'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : '0.0.0';
  const integrity = 'installed';
  return {
    builder: builderVersion,
    mode: 'production',
    name,
    version,
    integrity,
    dependencies: {},
  };
}

/**
 * Parses the path segments after `/npm/-/node/`: the builder version, then a module or one of its
 * chunks.
 */
export function parseBuiltinUrl(
  parts: readonly string[],
  resolution: ResolutionTable,
): ExactUrl | undefined {
  const [version, first, ...rest] = parts;
  if (version !== String(builderVersion) || first === undefined) return undefined;
  const isChunk = first === '-chunk' && rest.length > 0;
  return {
    kind: 'exact',
    name: resolution.name,
    version: resolution.version,
    hash: '',
    base: builtinsBase,
    part: isChunk ? 'chunk' : 'module',
    path: isChunk ? rest.join('/') : ['./nodelibs', first, ...rest].join('/'),
  };
}
