import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');

/**
 * Arguments of Node for running a function when Deno is not installed. The process can read the
 * functions, installed packages and `folder`. It cannot write files or start processes and threads.
 * Unlike in Deno, its network is not restricted.
 */
export function createNodeArguments(
  functionsDir: string,
  folder: string,
  heapMegabytes: number,
): string[] {
  const readable = [functionsDir, folder, import.meta.dirname, join(root, 'node_modules')];
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMegabytes}`,
    '--disable-warning=ExperimentalWarning',
    '--import',
    new URL('node-preload.ts', import.meta.url).href,
  ];
}

/**
 * Replaces npm imports of a function's `deno.json` by files, when exactly that version is installed
 * and has no dependencies: it then runs without downloads. {"zip": "npm:client-zip@2.5.1"} →
 * {"zip": "file:///…/node_modules/client-zip/index.js"}
 */
export function resolveInstalledImports(
  imports: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(imports).map(([name, address]) => {
    const [, packageName = '', version] = /^npm:(.+)@(\d[^/]*)$/.exec(String(address)) ?? [];
    return [name, (version && findFile(packageName, version)) || address];
  });
  return Object.fromEntries(entries);
}

function findFile(name: string, version: string): string | undefined {
  try {
    const file = import.meta.resolve(name);
    const marker = `/node_modules/${name}/`;
    const end = file.lastIndexOf(marker) + marker.length;
    const manifest = JSON.parse(
      readFileSync(fileURLToPath(`${file.slice(0, end)}package.json`), 'utf8'),
    );
    const hasNoDependencies = Object.keys(manifest.dependencies ?? {}).length === 0;
    return manifest.version === version && hasNoDependencies ? file : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /NOT_FOUND|ENOENT/.test(String(error.code)))
      return undefined;
    throw error;
  }
}
