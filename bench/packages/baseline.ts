/**
 * The least that brings npm packages into a page: their tarballs, unpacked next to each other, and
 * one esbuild call that bundles what a script uses. No limits, no checks, and nothing that a
 * second project could reuse.
 */
import { build } from 'esbuild';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import {
  getRegistryUrl,
  type RegistrySettings,
} from '../../packages/esm/src/registry/registry-settings.ts';
import { createRegistry } from '../../packages/esm/src/registry/registry.ts';

/** Bundles a script with all packages of the lockfile into one file. */
export async function bundleScript(
  script: string,
  lock: string,
  settings: RegistrySettings,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-baseline-'));
  try {
    await fetchAll(folder, lock, settings);
    const result = await build({
      stdin: { contents: script, resolveDir: folder },
      bundle: true,
      write: false,
      format: 'esm',
      define: { 'process.env.NODE_ENV': '"development"' },
      loader: { '.css': 'empty' },
      logLevel: 'silent',
    });
    return result.outputFiles[0]?.text ?? '';
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fetchAll(folder: string, lock: string, settings: RegistrySettings): Promise<void> {
  const registry = createRegistry(settings, { info() {}, warn() {}, error() {} });
  await Promise.all(
    listPlaces(lock).map(async ({ place, name, version }) => {
      const file = `${name}/-/${basename(name)}-${version}.tgz`;
      const address = new URL(file, getRegistryUrl(settings, name)).href;
      const cwd = join(folder, place);
      await mkdir(cwd, { recursive: true });
      const tarball = await registry.fetchTarball(name, address);
      await pipeline(Readable.from(tarball), extract({ cwd, strip: 1 }));
    }),
  );
}

function listPlaces(lock: string) {
  const { packages }: { packages: Record<string, { name?: string; version: string }> } =
    JSON.parse(lock);
  return Object.entries(packages)
    .filter(([place]) => place !== '')
    .map(([place, { name = place.replace(/^.*node_modules\//, ''), version }]) => {
      return { place, name, version };
    });
}

export interface BaselinePage {
  readonly address: string;
  /** Sets the page's script. */
  show(script: string): void;
  close(): void;
}

/** Serves a page with one script. */
export async function serveBaselinePage(): Promise<BaselinePage> {
  let script = '';
  const server = createServer(({ url }, response) => {
    const isScript = url === '/script.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><meta charset="utf-8"><div id="root"></div>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    address: `http://127.0.0.1:${address.port}/`,
    show: (text) => void (script = text),
    close: () => void server.close(),
  };
}
