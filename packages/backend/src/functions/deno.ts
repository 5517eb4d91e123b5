import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findInstalled } from './node.ts';

/** The version that is installed, and that functions were tried with. */
export const denoVersion = '2.9.6';

/** The folder, below the project's, that `npm run functions -- install` fills. */
export function denoFolder(root: string): string {
  return join(root, '.cache/deno');
}

/** Deno's program, or undefined where nobody has installed it. */
export function findDeno(root: string): string | undefined {
  const libc = process.platform === 'linux' ? '-glibc' : '';
  const name = `@deno/${process.platform}-${process.arch}${libc}/deno`;
  const file = join(denoFolder(root), 'node_modules', name);
  return existsSync(file) ? file : undefined;
}

/**
 * What Deno is started with, for a function or for fetching its imports. Nothing of the project
 * around the functions counts: no package.json, no folder of packages, no lock but their own.
 */
export function denoEnvironment(cacheDir: string): NodeJS.Dict<string> {
  return {
    DENO_DIR: cacheDir,
    DENO_NO_PACKAGE_JSON: '1',
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
  };
}

/** `deno.json` beside the function or beside all of them, as Supabase has it. */
export function configOptions(functionsDir: string, name: string): string[] {
  const config = findConfig(functionsDir, name);
  return [...(config ? ['--config', config] : ['--no-config']), '--node-modules-dir=none'];
}

/** The imports of that file, those that are installed here by their place; written to `folder`. */
export async function importOptions(
  functionsDir: string,
  name: string,
  folder: string,
): Promise<string[]> {
  const config = findConfig(functionsDir, name);
  // One with comments is Deno's to read.
  if (config === undefined || !config.endsWith('.json')) return [];
  const { imports } = JSON.parse(await readFile(config, 'utf8'));
  if (imports === undefined) return [];
  const file = join(folder, 'imports.json');
  await writeFile(file, JSON.stringify({ imports: findInstalled(imports) }));
  return ['--import-map', file];
}

function findConfig(functionsDir: string, name: string): string | undefined {
  const places = [join(functionsDir, name), functionsDir].flatMap((folder) => [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
  ]);
  return places.find((place) => existsSync(place));
}
