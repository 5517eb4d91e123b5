import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../../..');

/**
 * Command-line arguments of Node.js for running a function when Deno is not installed. The process can
 * read the functions, installed packages and the function's temporary folder `workDir`. It cannot
 * write files or start processes and threads. Unlike in Deno, its network is not restricted.
 */
export function createNodeArguments(
  functionsDir: string,
  workDir: string,
  heapMegabytes: number,
): string[] {
  const readable = [functionsDir, workDir, import.meta.dirname, join(root, 'node_modules')];
  return [
    '--permission',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMegabytes}`,
    '--disable-warning=ExperimentalWarning',
    '--import',
    new URL('node-preload.ts', import.meta.url).href,
  ];
}
