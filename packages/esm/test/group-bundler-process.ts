/**
 * A process that bundles a package group, to be killed meanwhile: node group-bundler-process.ts
 * FOLDER REGISTRY LOCK ADDRESS.
 */
import { readFile } from 'node:fs/promises';
import { createPackageServer } from '../src/index.ts';

const [folder = '', registry = '', lock = '', address = ''] = process.argv.slice(2);
const server = await createPackageServer({
  folder,
  appOrigins: [],
  registry: { npm: { registry }, tarballHosts: [] },
  installed: [],
  log: { info: () => undefined, warn: console.warn, error: console.error },
});
await server.register(await readFile(lock, 'utf8'));
await server.fetch(new Request(`http://127.0.0.1${address}`));
// The process that started this one kills it.
setInterval(() => undefined, 1_000);
