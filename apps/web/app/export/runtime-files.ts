/*
 * Finds the files that pages load while they run, such as `fetch('data.json')`, `new Worker('worker.js')`
 * and classic scripts. Vite's build sees only imports and the elements of a page, so it doesn't have them.
 * A file counts if a script names it, or its folder or extension as parts of a name: `img/${name}.png`.
 */
import { dirname } from '../workspace/tree/file-paths.ts';

/** Sources that only a build or a test can use. They're in the build's own files. */
const sources =
  /\.(?:[cm]?tsx?|jsx|vue|svelte|astro|s[ac]ss|less|styl|html?|map)$|\.(?:test|spec)\.\w+$|\.config\.\w+$/i;
/** Files about the project: of npm, editors, and dot files. */
const settings =
  /(?:^|\/)(?:\.[^/]*|package(?:-lock)?\.json|[jt]sconfig[^/]*\.json|readme[^/]*|licen[cs]e[^/]*|changelog[^/]*)(?:\/|$)/i;

/** What Vite resolves itself: imports, exports from, and `new URL(…, import.meta.url)`. */
const resolved =
  /\b(?:import|export)\b[^'"`;()]*?(?:from\s*)?(["'])[^"'\n]*\1|\bimport\s*\(\s*(?:\/\*.*?\*\/\s*)?(["'`])[^"'`\n$]*\2|\bnew\s+URL\s*\(\s*(["'`])[^"'`\n]*\3\s*,\s*import\.meta\.url/g;

/** Texts of strings, without their placeholders. */
const strings = /(["'])((?:(?!\1)[^\\\n]|\\.)*)\1|`((?:[^\\`]|\\.)*)`/g;

/** Elements whose files a build leaves as they are. */
const elements =
  /<(?:a|area|iframe|embed|param)\b[^>]*?\s(?:href|src|value)\s*=\s*(["']?)([^"'\s>]+)\1/gi;
const scriptElements = /<script\b([^>]*)>([^]*?)<\/script\s*>/gi;

/**
 * Lists the files, in their order, that a build has to copy.
 *
 * @param texts Texts of the project, by path.
 * @param paths Paths of all files, assets too.
 */
export function listRuntimeFiles(
  texts: ReadonlyMap<string, string>,
  paths: readonly string[],
): string[] {
  const candidates = paths.filter(
    (path) => !sources.test(path) && !settings.test(path) && !path.startsWith('public/'),
  );
  const copied = new Set<string>();
  const parts = new Set<string>();
  for (const [path, text] of texts) {
    if (/\.html?$/i.test(path)) {
      for (const [, , address = ''] of text.matchAll(elements)) parts.add(trim(address));
      for (const [, attributes = '', code = ''] of text.matchAll(scriptElements)) {
        const isModule = /\btype\s*=\s*["']?module/i.test(attributes);
        const src = /\bsrc\s*=\s*["']?([^"'\s>]+)/i.exec(attributes)?.[1];
        if (src !== undefined && !isModule) parts.add(trim(src));
        addParts(code, parts);
      }
    } else if (/\.(?:[cm]?[jt]sx?|vue|svelte)$/i.test(path) && !settings.test(path)) {
      const isTool = /\.(?:test|spec|config)\.\w+$/i.test(path);
      if (!isTool) addParts(text.replaceAll(/<style\b[^]*?<\/style>/gi, ''), parts);
    }
  }
  const named = listNamed(candidates, parts);
  for (const path of named) addWithImports(path, texts, copied);
  return paths.filter((path) => copied.has(path));
}

function addParts(code: string, parts: Set<string>): void {
  const text = code.replaceAll(resolved, '');
  for (const [, , plain, template] of text.matchAll(strings))
    for (const part of plain === undefined ? (template ?? '').split(/\$\{[^}]*\}/) : [plain]) {
      // A template may have the elements of a page.
      const addresses =
        part.length > 200 || /[\s"'<]/.test(part) ? part.split(/[\s"'<>=(),]+/) : [part];
      for (const address of addresses) parts.add(trim(address));
    }
}

/** "./img/a.png?x" → "img/a.png" */
function trim(address: string): string {
  const path = address.replace(/[?#].*$/, '').replace(/^(?:\.{0,2}\/)+/, '');
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

function listNamed(candidates: readonly string[], parts: ReadonlySet<string>): string[] {
  return candidates.filter((path) => {
    const isCode = /\.(?:m?js|cjs|css|md)$/i.test(path);
    for (let end = path; ; end = end.slice(end.indexOf('/') + 1)) {
      if (parts.has(end)) return true;
      if (!end.includes('/')) break;
    }
    if (isCode) return false;
    for (let folder = dirname(path); folder !== ''; folder = dirname(folder))
      if (parts.has(`${folder}/`)) return true;
    return parts.has(path.slice(path.lastIndexOf('.')));
  });
}

/** Adds a file and, since it's loaded as it is, the files that it imports. */
function addWithImports(
  path: string,
  texts: ReadonlyMap<string, string>,
  copied: Set<string>,
): void {
  if (copied.has(path)) return;
  copied.add(path);
  if (!/\.m?js$/i.test(path)) return;
  const text = texts.get(path) ?? '';
  for (const [, , specifier = ''] of text.matchAll(
    /\b(?:from|import)\s*\(?\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g,
  )) {
    const url = URL.parse(specifier, `http://project/${path}`);
    const imported = decodeURIComponent(url?.pathname.slice(1) ?? '');
    if (texts.has(imported)) addWithImports(imported, texts, copied);
  }
}
