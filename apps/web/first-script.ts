import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Manifest, Plugin } from 'vite';

const source = 'app/workspace/bootstrap/first-editor.ts';
export const earlyEditorScript = fileURLToPath(new URL(source, import.meta.url));

/**
 * Builds the early-editor script, which the server's pages load before React Router's scripts:
 * `virtual:first-script` exports its URL and those of all its imports, read from the manifest of
 * the client build, which runs before the server build.
 */
export const earlyEditorPlugin: Plugin = {
  name: 'name-first-script',
  apply: 'build',
  buildStart() {
    if (this.environment.name === 'client') this.emitFile({ type: 'chunk', id: earlyEditorScript });
  },
  resolveId: (id) => (id === 'virtual:first-script' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:first-script') return undefined;
    return `export default ${JSON.stringify(this.environment.name === 'client' ? [] : findUrls())}`;
  },
};

/** URLs of the script and all its imports. */
function findUrls(): string[] {
  const manifestUrl = new URL('build/client/.vite/manifest.json', import.meta.url);
  const manifest = JSON.parse(readFileSync(manifestUrl, 'utf8')) as Manifest;
  const found = new Set([source]);
  for (const key of found) for (const next of manifest[key]?.imports ?? []) found.add(next);
  return [...found].map((key) => {
    const { file } = manifest[key] ?? {};
    if (file === undefined) throw new Error(`the client's build has no ${key}`);
    return `/${file}`;
  });
}
