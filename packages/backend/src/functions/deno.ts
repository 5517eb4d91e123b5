import { existsSync } from 'node:fs';
import { join } from 'node:path';

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
  const places = [join(functionsDir, name), functionsDir].flatMap((folder) => [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
  ]);
  const config = places.find((place) => existsSync(place));
  return [...(config ? ['--config', config] : ['--no-config']), '--node-modules-dir=none'];
}
