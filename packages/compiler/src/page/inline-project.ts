/**
 * Inlines a project into one document and files without URLs, for `srcdoc` previews. Texts refer to
 * files as `vitrine-file:PATH`, which the frame replaces by blob URLs, and modules import each other
 * as `vitrine-module:PATH`, which an import map resolves to the same blobs. So each module has one
 * identity, also in circular imports.
 */
import { findServedFile } from '@vitrine/project';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { MagicString } from 'magic-string';
import {
  createAssetModule,
  createDefaultExport,
  findAssetQuery,
  type AssetQuery,
} from '../asset-modules.ts';
import { isScriptPath, isStylePath, outputTypes } from '../file-kinds.ts';
import { getElementAttribute, inlineAttributes, type UrlResolver } from './inline-attributes.ts';
import { findHeadStart } from './instrument-html.ts';
import { encodePath, resolveBase, resolvePath } from '../resolve-path.ts';
import { flattenCss } from '../rewrite-css.ts';
import { applyEdits, findAssetUrlEdits, findImportEdits, isLexerError } from '../rewrite-module.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface OutputFile {
  path: string;
  /** '' for an asset whose bytes aren't text. */
  text: string;
  /** The file's bytes run as they are; nothing in them is rewritten. */
  isAsset: boolean;
  mediaType: string;
  /** The compiled output; null if the text itself is run. */
  code: string | null;
  /** The module for scripts that import the file; null if `createAssetModule` creates it from the text. */
  module: string | null;
}

/** A file as it is run. */
type RunnableFile = Omit<OutputFile, 'code' | 'module'>;

export interface InlinedProject {
  html: string;
  /** Index in `html` after the inserted import map; 0 if none was inserted. */
  mapEnd: number;
  /** Assets first, then styles and scripts, which refer to them. */
  files: RunnableFile[];
}

/**
 * Inlines a project. Throws if `entry` is not one of the files.
 * @param others Modules beside the project's: the specifier that they are imported by, and the path of
 * their file, which the caller adds.
 */
export function inlineProject(
  files: readonly OutputFile[],
  entry: string,
  others: Iterable<readonly [specifier: string, path: string]> = [],
): InlinedProject {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const page = byPath.get(entry);
  if (!page) throw new Error(`the entry ${entry} is not one of the files`);
  const getFileUrl = (path: string) => {
    const found = findServedFile(path, (each) => byPath.has(each));
    return found === undefined ? undefined : createFileUrl(found);
  };
  const getStyleFileUrl = (path: string) => getFileUrl(path) ?? createMissingFileUrl(path);
  const read = (path: string) => {
    const file = findFile(path, byPath);
    return file && getOutput(file);
  };
  const flatten = (path: string) => flattenCss(path, read, getStyleFileUrl);
  /** Modules that scripts import for files of other types, by path and query. */
  const modules = new Map<string, RunnableFile>();
  const rewrite = (path: string, text: string): string =>
    rewriteScript(path, text, byPath, (file, query) => {
      if (query) addModule(file, query);
      return moduleSpecifier(file.path + (query ?? ''));
    });
  const addModule = (file: OutputFile, query: AssetQuery) => {
    const at = file.path + query;
    if (modules.has(at)) return;
    const module = { path: at, mediaType: scriptType, text: '', isAsset: false };
    modules.set(at, module);
    // Set after the entry exists, since asset modules may import each other in a circle.
    module.text = rewrite(file.path, createInlinedModule(file, query, flatten));
  };
  const rewritten = files.map((file): RunnableFile => {
    const { path, text, mediaType, isAsset } = file;
    if (isAsset) return { path, mediaType, text, isAsset };
    if (isStyle(file)) return { path, mediaType: styleType, text: flatten(path), isAsset };
    if (!isScript(file)) return { path, mediaType, text, isAsset };
    return { path, mediaType: scriptType, text: rewrite(path, getOutput(file)), isAsset };
  });
  const { html, mapEnd } = inlineDocument(page.path, getOutput(page), {
    resolveFile: getFileUrl,
    resolveStyleFile: getStyleFileUrl,
    rewriteStyle: (base, text) =>
      flattenCss(base, (path) => (path === base ? text : read(path)), getStyleFileUrl),
    scripts: hasScripts(getOutput(page))
      ? {
          rewrite,
          // Called last, when all imported asset modules are known.
          makeImportMap: (base, own) =>
            JSON.stringify(mergeImportMap(own, base, byPath, modules.keys(), others)),
        }
      : null,
  });
  return { html, mapEnd, files: sortByDependency([...rewritten, ...modules.values()]) };
}

/** Whether a page may have scripts. Without any, it needs no import map. */
export function hasScripts(html: string): boolean {
  return /<script/i.test(html);
}

/**
 * Inlines a page without scripts, with the result of `inlineProject`.
 * @param read Returns the compiled text of a file; undefined if it doesn't exist.
 */
export function inlinePageWithoutScripts(
  path: string,
  html: string,
  read: (path: string) => string | undefined,
): string {
  const getFileUrl = (file: string) => {
    const found = findServedFile(file, (each) => read(each) !== undefined);
    return found === undefined ? undefined : createFileUrl(found);
  };
  const getStyleFileUrl = (file: string) => getFileUrl(file) ?? createMissingFileUrl(file);
  return inlineDocument(path, html, {
    resolveFile: getFileUrl,
    resolveStyleFile: getStyleFileUrl,
    rewriteStyle: (base, text) =>
      flattenCss(
        base,
        (file) =>
          file === base
            ? text
            : read(findServedFile(file, (each) => read(each) !== undefined) ?? file),
        getStyleFileUrl,
      ),
    scripts: null,
  }).html;
}

/** Returns the placeholder URL of a file in an inlined project. */
export function createFileUrl(path: string): string {
  // Escapes single quotes, which may surround the URL.
  return `vitrine-file:${encodePath(path).replaceAll("'", '%27')}`;
}

/**
 * Returns the placeholder URL of a missing file that a stylesheet refers to. The frame requests it,
 * as with the isolated-origin transport, so that the browser reports the failure.
 */
export function createMissingFileUrl(path: string): string {
  return `vitrine-absent:${encodePath(path).replaceAll("'", '%27')}`;
}

function moduleSpecifier(path: string): string {
  return `vitrine-module:${encodePath(path)}`;
}

function getOutput({ code, text }: OutputFile): string {
  return code ?? text;
}

function sortByDependency(files: RunnableFile[]): RunnableFile[] {
  const rank = (file: RunnableFile) => (isScript(file) ? 2 : isStyle(file) ? 1 : 0);
  return files.toSorted((a, b) => rank(a) - rank(b));
}

function isStyle({ path }: RunnableFile): boolean {
  return isStylePath(path);
}

function isScript({ path, mediaType }: RunnableFile): boolean {
  return mediaType.startsWith('text/javascript') || isScriptPath(path);
}

const { script: scriptType, style: styleType } = outputTypes;

type Files = ReadonlyMap<string, OutputFile>;

/**
 * Creates modules for an existing document, whose import map doesn't contain them. They import each
 * other by file URL.
 * @param remade Ids of all modules that are not in the import map.
 */
export function inlineUpdatedModules(
  ids: Iterable<string>,
  files: readonly OutputFile[],
  remade: ReadonlySet<string>,
): RunnableFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const read = (path: string) => {
    const file = findFile(path, byPath);
    return file && getOutput(file);
  };
  const flatten = (path: string) =>
    flattenCss(path, read, (each) => {
      const file = findFile(each, byPath);
      return file ? createFileUrl(file.path) : createMissingFileUrl(each);
    });
  const getSpecifier = (file: OutputFile, query: AssetQuery | undefined) => {
    const id = file.path + (query ?? '');
    return remade.has(id) ? createFileUrl(id) : moduleSpecifier(id);
  };
  return Array.from(ids, (id): RunnableFile => {
    const query = findAssetQuery(id);
    const path = id.slice(0, id.length - (query?.length ?? 0));
    const file = byPath.get(path);
    if (!file) throw new Error(`there is no file ${path} to create a module from`);
    const code = query ? createInlinedModule(file, query, flatten) : getOutput(file);
    return {
      path: id,
      text: rewriteScript(path, code, byPath, getSpecifier),
      mediaType: scriptType,
      isAsset: false,
    };
  });
}

/** Creates an asset module. A stylesheet's text gets the URLs of the files that it refers to. */
function createInlinedModule(
  file: OutputFile,
  query: AssetQuery,
  flatten: (path: string) => string,
): string {
  const isText = query === '?inline' && isStyle(file);
  if (isText) return createDefaultExport(flatten(file.path));
  return createAssetModule(file, query, createFileUrl(file.path));
}

/** Finds the file at a path, also in `public`. */
function findFile(path: string, files: Files): OutputFile | undefined {
  return files.get(findServedFile(path, (each) => files.has(each)) ?? '');
}

/** Rewrites imports. `getSpecifier` returns the specifier for a file, or for an asset module of it. */
function rewriteScript(
  path: string,
  text: string,
  files: Files,
  getSpecifier: (file: OutputFile, query: AssetQuery | undefined) => string,
): string {
  const find = (specifier: string) => findFile(resolvePath(path, specifier) ?? '', files);
  try {
    const imports = findImportEdits(text, ({ specifier }) => {
      const file = /^\.{0,2}\//.test(specifier) ? find(specifier) : undefined;
      return file && getSpecifier(file, findAssetQuery(specifier));
    });
    const addresses = findAssetUrlEdits(text, (specifier) => {
      const file = find(specifier);
      return file && createFileUrl(file.path);
    });
    return applyEdits(
      text,
      [...imports, ...addresses].sort((a, b) => a.start - b.start),
    );
  } catch (error) {
    // The browser reports what the lexer can't read.
    if (isLexerError(error)) return text;
    throw error;
  }
}

/** How to inline a page. `base` is the path that relative URLs are resolved against. */
interface Inlining extends UrlResolver {
  rewriteStyle(base: string, text: string): string;
  /** Null for a page without scripts. */
  scripts: {
    rewrite(base: string, text: string): string;
    /** Creates the page's import map from its own one. */
    makeImportMap(base: string, own: string): string;
  } | null;
}

function inlineDocument(
  path: string,
  html: string,
  inlining: Inlining,
): Omit<InlinedProject, 'files'> {
  const output = new MagicString(html);
  const { scripts } = inlining;
  /** Writes the import map. Returns the inserted tag, or '' if the page had an import map. */
  let writeImportMap = () => {
    if (!scripts) return '';
    const map = escapeScript(scripts.makeImportMap(path, '{}'));
    const tag = `<script type="importmap">${map}</script>`;
    output.appendLeft(findHeadStart(html), tag);
    return tag;
  };
  let hasImportMap = false;
  /** Base path of relative URLs from here on. */
  let base = path;
  let hasBase = false;
  for (const element of walkElements(parse(html, { sourceCodeLocationInfo: true }))) {
    const href = element.tagName === 'base' ? getElementAttribute(element, 'href') : undefined;
    if (href !== undefined && !hasBase) {
      hasBase = true;
      const found = resolveBase(path, href);
      base = found ?? outsideBase;
      const location = element.sourceCodeLocation?.attrs?.['href'];
      // The URL of the document differs from that of the page.
      if (found !== undefined && location)
        output.update(location.startOffset, location.endOffset, `href="/${encodePath(found)}"`);
    }
    inlineAttributes(element, base, output, inlining);
    const [text] = element.childNodes;
    const location = text?.sourceCodeLocation;
    if (!text || !('value' in text) || !location) continue;
    const replace = (by: string) =>
      output.update(location.startOffset, location.endOffset, keepLines(text.value, by));
    if (element.tagName === 'style') replace(inlining.rewriteStyle(base, text.value));
    if (element.tagName !== 'script' || !scripts) continue;
    const type = getElementAttribute(element, 'type')?.trim().toLowerCase() ?? '';
    if (type === 'importmap' && !hasImportMap) {
      hasImportMap = true;
      const mapBase = base;
      writeImportMap = () => {
        replace(escapeScript(scripts.makeImportMap(mapBase, text.value)));
        return '';
      };
    } else if (type === '' || type === 'module' || type === 'text/javascript')
      replace(scripts.rewrite(base, text.value) + createSourceUrlComment(path, location));
  }
  const tag = writeImportMap();
  const written = output.toString();
  return { html: written, mapEnd: tag === '' ? 0 : written.indexOf(tag) + tag.length };
}

/** Base outside of the project: URLs relative to it never resolve to the project's files. */
const outsideBase = 'elsewhere:/';

function* walkElements(node: Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('content' in node) yield* walkElements(node.content);
  if (!('childNodes' in node)) return;
  for (const child of node.childNodes) yield* walkElements(child);
}

/** Merges the page's own import map, with rewritten URLs, and all modules of the project. */
function mergeImportMap(
  own: string,
  path: string,
  files: Files,
  assetModules: Iterable<string>,
  others: Iterable<readonly [specifier: string, path: string]>,
): unknown {
  const map = readImportMap(own);
  const relocate = (entries: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([key, url]): [string, unknown][] => {
        const target = typeof url === 'string' ? resolvePath(path, url) : undefined;
        if (target === undefined) return [[key, url]];
        // Blob URLs have no folders: an entry for a folder becomes one for each file in it.
        if (key.endsWith('/') && target.endsWith('/'))
          return [...files.keys()]
            .filter((file) => file.startsWith(target))
            .map((file) => [key + file.slice(target.length), createFileUrl(file)]);
        return [[key, files.has(target) ? createFileUrl(target) : url]];
      }),
    );
  const loaded = [...files.values()]
    .filter((file) => isScript(file) || file.mediaType.startsWith('application/json'))
    .map((file) => file.path);
  const modules = [...loaded, ...assetModules].map((found) => [
    moduleSpecifier(found),
    createFileUrl(found),
  ]);
  const added = Array.from(others, ([specifier, file]) => [specifier, createFileUrl(file)]);
  return {
    ...map,
    imports: {
      ...relocate(asRecord(map['imports'])),
      ...Object.fromEntries([...modules, ...added]),
    },
  };
}

function readImportMap(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch (error) {
    // Browsers ignore import maps that can't be parsed.
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function escapeScript(text: string): string {
  return text.replaceAll('<', '\\u003c');
}

/**
 * Inline scripts of a document without URL have their own line numbers. Returns a comment that gives
 * the script a URL with its position: `vitrine-page:PATH?LINE.COLUMN` of its first character.
 */
function createSourceUrlComment(
  path: string,
  location: { startLine: number; startCol: number },
): string {
  return `\n//# sourceURL=vitrine-page:${encodePath(path)}?${location.startLine}.${location.startCol}`;
}

/** Adds line breaks so that `after` has at least as many lines as `before`. */
function keepLines(before: string, after: string): string {
  const missing = before.split('\n').length - after.split('\n').length;
  return after + '\n'.repeat(Math.max(0, missing));
}
