import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Writes an import map to `folder` in which installed packages are replaced with their files. */
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
  const files = [join(functionsDir, name), functionsDir].flatMap((folder) => [
    join(folder, 'deno.json'),
    join(folder, 'deno.jsonc'),
  ]);
  return files.find((file) => existsSync(file));
}

/**
 * Replaces npm imports of a function's `deno.json` with file URLs, if exactly that version is
 * installed and has no dependencies, so that the function runs without downloads.
 * {"zip": "npm:client-zip@2.5.1"} → {"zip": "file:///…/node_modules/client-zip/index.js"}
 */
function resolveInstalledImports(
  imports: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(imports).map(([name, specifier]) => {
    const [, packageName = '', version] = /^npm:(.+)@(\d[^/]*)$/.exec(String(specifier)) ?? [];
    return [name, (version && findInstalledFile(packageName, version)) || specifier];
  });
  return Object.fromEntries(entries);
}

function findInstalledFile(name: string, version: string): string | undefined {
  try {
    const file = import.meta.resolve(name);
    const packagePath = `/node_modules/${name}/`;
    const packageEnd = file.lastIndexOf(packagePath) + packagePath.length;
    const manifest = JSON.parse(
      readFileSync(fileURLToPath(`${file.slice(0, packageEnd)}package.json`), 'utf8'),
    );
    const hasNoDependencies = Object.keys(manifest.dependencies ?? {}).length === 0;
    return manifest.version === version && hasNoDependencies ? file : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /NOT_FOUND|ENOENT/.test(String(error.code)))
      return undefined;
    throw error;
  }
}
