import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Manifest, Plugin } from 'vite';

const source = 'app/workspace/first-editor.ts';
export const firstScript = fileURLToPath(new URL(source, import.meta.url));

/**
 * One script that the server names in its pages, in front of those that the router does:
 * `virtual:first-script` has its address and those of all that it imports, which the client's build
 * has written down before the server's begins.
 */
export const nameFirstScript: Plugin = {
  name: 'name-first-script',
  apply: 'build',
  buildStart() {
    if (this.environment.name === 'client') this.emitFile({ type: 'chunk', id: firstScript });
  },
  resolveId: (id) => (id === 'virtual:first-script' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:first-script') return undefined;
    return `export default ${JSON.stringify(this.environment.name === 'client' ? [] : findBuilt())}`;
  },
};

/** Its own address, and those of all that it imports. */
function findBuilt(): string[] {
  const written = new URL('build/client/.vite/manifest.json', import.meta.url);
  const manifest = JSON.parse(readFileSync(written, 'utf8')) as Manifest;
  const found = new Set([source]);
  for (const key of found) for (const next of manifest[key]?.imports ?? []) found.add(next);
  return [...found].map((key) => {
    const { file } = manifest[key] ?? {};
    if (file === undefined) throw new Error(`the client's build has no ${key}`);
    return `/${file}`;
  });
}
