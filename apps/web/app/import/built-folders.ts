/*
 * Finds folders that a build script has written and nothing loads, such as `dist/` of an app. A library's
 * page may well load `dist/`, which a static server has; the project needs it then.
 */
import { isRecord, limits } from '@vitrine/project';
import { decodePath } from '@vitrine/sandbox/file-urls';
import {
  basename,
  dirname,
  isWithin,
  joinPath,
  listFolders,
} from '../workspace/tree/file-paths.ts';
import type { FoundEntry } from './imported-project.ts';

/** Number of package.json files that are looked at for a build script. */
const maxManifests = 20;

/** Names that may also be an author's. They're output beside a package.json with a build script. */
const names = ['dist', 'build', 'out'];

/** Files that load others. */
const loaders = /\.(?:html?|css|m?jsx?|[mc]?tsx?|vue|svelte|md)$/i;
/** Scripts of tools, which name the output without loading it. */
const tools = /(?:^|\/)(?:[^/]*\.config\.[^/]+|gulpfile\.[^/]+|gruntfile\.[^/]+)$/i;
/** A path with the name of a folder of output, and the quote, "(" or "=" before it. */
const written = /(?<=["'`(=]\s*)[^\s"'`()<>=]*\b(?:dist|build|out)\/[^\s"'`()<>]*/g;
/** What is before the path of an import, a worker or a file in a script. */
const importing =
  /(?:\bfrom|\bimport|\b(?:import|require|importScripts|fetch|URL|Worker|SharedWorker)\s*\()\s*["'`]$/;

/** The folders of build output that no page, stylesheet or script among the entries loads. */
export async function findBuiltFolders(entries: readonly FoundEntry[]): Promise<string[]> {
  const all = listFolders(entries.map(({ path }) => path));
  const manifests = entries.filter(({ path }) => basename(path) === 'package.json');
  let built: string[] = [];
  for (const entry of manifests.slice(0, maxManifests)) {
    const beside = names.map((name) => joinPath(dirname(entry.path), name));
    const found = beside.filter((folder) => all.has(folder));
    if (found.length > 0 && (await hasBuildScript(entry))) built.push(...found);
  }
  const paths = new Set(entries.map(({ path }) => path));
  const own = entries.filter(({ path }) => !built.some((folder) => isWithin(path, folder)));
  let left: number = limits.projectMaxBytes;
  for (const entry of own) {
    if (built.length === 0) break;
    const isLoader = loaders.test(entry.path) && !tools.test(entry.path);
    if (!isLoader || entry.size > limits.fileMaxBytes || entry.size > left) continue;
    left -= entry.size;
    const text = new TextDecoder().decode(await entry.read());
    const loaded = listLoaded(entry.path, text, paths);
    built = built.filter((folder) => !loaded.some((path) => isWithin(path, folder)));
  }
  return built;
}

async function hasBuildScript(entry: FoundEntry): Promise<boolean> {
  if (entry.size > limits.fileMaxBytes) return false;
  try {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(await entry.read()));
    const scripts = isRecord(manifest) ? manifest['scripts'] : undefined;
    return isRecord(scripts) && typeof scripts['build'] === 'string';
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Files of the import that a file loads: all that a page or stylesheet names, and imports of a script. */
function listLoaded(path: string, text: string, paths: ReadonlySet<string>): string[] {
  const isScript = /\.[mc]?[jt]sx?$/i.test(path);
  const loaded: string[] = [];
  for (const { 0: address, index } of text.matchAll(written)) {
    if (isScript && !importing.test(text.slice(Math.max(0, index - 40), index))) continue;
    const url = URL.parse(address, `http://import/${path}`);
    const target = url?.host === 'import' ? decodePath(url.pathname) : undefined;
    if (target === undefined) continue;
    const found = [target, `${target}.js`, `${target}/index.js`, `${target}index.html`].find(
      (each) => paths.has(each),
    );
    if (found !== undefined) loaded.push(found);
  }
  return loaded;
}
