import { isRecord } from '@vitrine/project';
import type { ImportedFiles, LeftOut } from '../imported-project.ts';
import { dirname, joinPath } from '../../workspace/tree/file-paths.ts';
import { createPage, hasModuleSyntax } from './page-project.ts';

/** Names that bundlers of other editors start with if no page says so, the likeliest first. */
const entryNames = ['src/index', 'src/main', 'index', 'main'].flatMap((name) =>
  ['tsx', 'ts', 'jsx', 'js'].map((extension) => `${name}.${extension}`),
);

/** Configuration of other editors, which nothing here reads. */
export const settingsFiles =
  /^(?:sandbox\.config\.json|\.codesandbox(?:\/.*)?|\.stackblitzrc|\.stackblitz(?:\/.*)?|\.devcontainer(?:\/.*)?|\.glitch-assets|\.glitchdotcom\.json|glitch\.json|\.replit|replit\.nix)$/;

/**
 * Makes the files of a bundler's project a project with a page: adds the page that the other editor
 * has built in, the script that it adds to a page, and `type="module"` on scripts that only a bundler
 * can load otherwise. Leaves out the other editor's settings.
 */
export function completeProject(imported: ImportedFiles): ImportedFiles {
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>();
  const leftOut: LeftOut[] = [...imported.leftOut];
  for (const [path, content] of imported.files) {
    if (settingsFiles.test(path)) leftOut.push({ path, reason: 'settings' });
    else files.set(path, content);
  }
  const text = (path: string) => {
    const content = files.get(path);
    return typeof content === 'string' ? content : undefined;
  };
  // The page of create-react-app is in public/, and is completed when the project is opened.
  const isCreateReactApp = isReactScripts(text('package.json'));
  if (!isCreateReactApp || !files.has('public/index.html')) {
    const page = text('index.html');
    const entry = findEntry(files, text('package.json'));
    if (page !== undefined) files.set('index.html', completePage(page, entry, text));
    else if (entry !== undefined && !files.has('index.md') && !files.has('public/index.html')) {
      const body = [createScriptTag(entry)];
      const code = '<div id="root"></div>\n<div id="app"></div>';
      const { title } = imported;
      files.set(
        'index.html',
        createPage(title === undefined ? {} : { title }, { code, mount: '', head: [], body }),
      );
    }
  }
  return { ...imported, files, leftOut };
}

function findEntry(
  files: ReadonlyMap<string, unknown>,
  manifest: string | undefined,
): string | undefined {
  const main = readManifest(manifest)?.['main'];
  const named = typeof main === 'string' ? joinPath('', main.replace(/^(?:\.?\/)+/, '')) : '';
  return [named, ...entryNames].find((path) => /\.[jt]sx?$/.test(path) && files.has(path));
}

/** Adds the script to a page that loads none, and `type="module"` to scripts that import. */
function completePage(
  page: string,
  entry: string | undefined,
  read: (path: string) => string | undefined,
): string {
  let hasScript = false;
  const completed = page.replace(/<script\b([^>]*)>/gi, (tag, attributes: string) => {
    const src = /\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
    const address = src?.[1] ?? src?.[2] ?? src?.[3];
    if (address === undefined) {
      hasScript ||= /\btype\s*=\s*["']?module/i.test(attributes);
      return tag;
    }
    if (/^(?:[a-z]+:)?\/\//i.test(address)) return tag;
    hasScript = true;
    if (/\btype\s*=/i.test(attributes)) return tag;
    const code = read(joinPath(dirname(''), address.replace(/^(?:\.?\/)+/, '')));
    return code !== undefined && hasModuleSyntax(code)
      ? `<script type="module"${attributes}>`
      : tag;
  });
  if (hasScript || entry === undefined) return completed;
  const end = /<\/body>/i.exec(completed)?.index ?? completed.length;
  return `${completed.slice(0, end)}${createScriptTag(entry)}\n${completed.slice(end)}`;
}

function createScriptTag(path: string): string {
  return `<script type="module" src="/${path}"></script>`;
}

function isReactScripts(manifest: string | undefined): boolean {
  const { dependencies, devDependencies } = readManifest(manifest) ?? {};
  return [dependencies, devDependencies].some((each) => isRecord(each) && 'react-scripts' in each);
}

/** package.json as an object. Undefined if it isn't one. */
export function readManifest(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(text);
    return isRecord(manifest) ? manifest : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
