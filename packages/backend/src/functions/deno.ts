import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveInstalledImports } from './node.ts';

/** The Deno version that is installed and tested. */
export const denoVersion = '2.9.6';

/** The directory below the project root that `npm run functions -- install` installs to. */
export function getDenoDir(root: string): string {
  return join(root, '.cache/deno');
}

/** Returns the path of the Deno executable, or undefined when it is not installed. */
export function findDeno(root: string): string | undefined {
  const libc = process.platform === 'linux' ? '-glibc' : '';
  const name = `@deno/${process.platform}-${process.arch}${libc}/deno`;
  const file = join(getDenoDir(root), 'node_modules', name);
  return existsSync(file) ? file : undefined;
}

/**
 * Environment of Deno, for running a function or downloading its imports. Ignores the surrounding
 * project: its package.json, node_modules and lockfile.
 */
export function createDenoEnvironment(cacheDir: string): NodeJS.Dict<string> {
  return {
    DENO_DIR: cacheDir,
    DENO_NO_PACKAGE_JSON: '1',
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
  };
}

/** Uses the `deno.json` of the function or the shared one, as Supabase does. */
export function createDenoConfigArguments(functionsDir: string, name: string): string[] {
  const config = findConfig(functionsDir, name);
  return [...(config ? ['--config', config] : ['--no-config']), '--node-modules-dir=none'];
}

/** Writes an import map to `folder` in which installed packages are replaced by their files. */
export async function createImportMapArguments(
  functionsDir: string,
  name: string,
  folder: string,
): Promise<string[]> {
  const config = findConfig(functionsDir, name);
  // Deno reads `deno.jsonc` itself.
  if (config === undefined || !config.endsWith('.json')) return [];
  const { imports } = JSON.parse(await readFile(config, 'utf8'));
  if (imports === undefined) return [];
  const file = join(folder, 'imports.json');
  await writeFile(file, JSON.stringify({ imports: resolveInstalledImports(imports) }));
  return ['--import-map', file];
}

function findConfig(functionsDir: string, name: string): string | undefined {
  const places = [join(functionsDir, name), functionsDir].flatMap((folder) => [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
  ]);
  return places.find((place) => existsSync(place));
}
