/**
 * A project as one document and texts that need no addresses, for frames that have none. Texts name
 * files as `vitrine-file:PATH`, which the frame replaces by blobs, and modules import each other as
 * `vitrine-module:PATH`, which one import map leads to the same blobs. So modules keep one identity
 * each, also in circles.
 */
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { MagicString } from 'magic-string';
import { assetModule, findAssetQuery, type AssetQuery } from './asset-modules.ts';
import { isScriptPath, isStylePath, runningTypes } from './file-kinds.ts';
import { attributeOf, inlineAttributes, type Addresses } from './inline-attributes.ts';
import { findHeadStart } from './instrument-html.ts';
import { encodePath, resolveBase, resolvePath } from './resolve-path.ts';
import { flattenCss } from './rewrite-css.ts';
import { applyEdits, findAssetAddresses, findEdits, isLexerError } from './rewrite-module.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface ProjectFile {
  path: string;
  text: string;
  mediaType: string;
  /** What runs in place of the text; null where the text itself does. */
  code: string | null;
  /** The module that scripts get which import it; null where `assetModule` makes it of the text. */
  module: string | null;
}

/** A file in the form in which it runs. */
export type InlinedFile = Omit<ProjectFile, 'code' | 'module'>;

export interface InlinedProject {
  html: string;
  /** Length of the part of `html` whose last element is an import map that was put in; 0 for none. */
  mapEnd: number;
  /** Assets first, then styles and scripts, which name them. */
  files: InlinedFile[];
}

/** `entry` has to be among the files. Throws where it is not. */
export function inlineProject(files: readonly ProjectFile[], entry: string): InlinedProject {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const page = byPath.get(entry);
  if (!page) throw new Error(`there is no file ${entry} to begin with`);
  const addressOf = (path: string) => (byPath.has(path) ? fileAddress(path) : undefined);
  const styleAddressOf = (path: string) => addressOf(path) ?? absentAddress(path);
  const read = (path: string) => {
    const file = byPath.get(path);
    return file && runningText(file);
  };
  /** What scripts ask of files that are none, by path and query. */
  const modules = new Map<string, InlinedFile>();
  const rewrite = (path: string, text: string): string =>
    rewriteScript(path, text, byPath, (file, query) => {
      if (query) addModule(file, query);
      return moduleSpecifier(file.path + (query ?? ''));
    });
  const addModule = (file: ProjectFile, query: AssetQuery) => {
    const at = file.path + query;
    if (modules.has(at)) return;
    const module: InlinedFile = { path: at, mediaType: scriptType, text: '' };
    modules.set(at, module);
    // It may import others of its kind, and they it.
    module.text = rewrite(file.path, assetModule(file, query, fileAddress(file.path)));
  };
  const rewritten = files.map((file): InlinedFile => {
    const { path, text, mediaType } = file;
    if (isStyle(file))
      return { path, mediaType: styleType, text: flattenCss(path, read, styleAddressOf) };
    if (!isScript(file)) return { path, mediaType, text };
    return { path, mediaType: scriptType, text: rewrite(path, runningText(file)) };
  });
  const { html, mapEnd } = inlineDocument(page.path, runningText(page), {
    addressOf,
    styleAddressOf,
    rewriteStyle: (base, text) =>
      flattenCss(base, (path) => (path === base ? text : read(path)), styleAddressOf),
    scripts: hasScripts(runningText(page))
      ? {
          rewrite,
          // Asked for last, when it is known what scripts ask for.
          makeImportMap: (base, own) =>
            JSON.stringify(mergeImportMap(own, base, byPath, modules.keys())),
        }
      : null,
  });
  return { html, mapEnd, files: order([...rewritten, ...modules.values()]) };
}

/** Whether a page has scripts, or may have: where it has none, nothing asks for an import map. */
export function hasScripts(html: string): boolean {
  return /<script/i.test(html);
}

/**
 * A page without scripts as `inlineProject` writes it. `read` has the texts of files as they run;
 * undefined for what is not there.
 */
export function inlineMarkup(
  path: string,
  html: string,
  read: (path: string) => string | undefined,
): string {
  const addressOf = (file: string) => (read(file) === undefined ? undefined : fileAddress(file));
  const styleAddressOf = (file: string) => addressOf(file) ?? absentAddress(file);
  return inlineDocument(path, html, {
    addressOf,
    styleAddressOf,
    rewriteStyle: (base, text) =>
      flattenCss(base, (file) => (file === base ? text : read(file)), styleAddressOf),
    scripts: null,
  }).html;
}

/** Stands for a file in the texts of an inlined project. */
export function fileAddress(path: string): string {
  // It may stand between single quotes, which end it.
  return `vitrine-file:${encodePath(path).replaceAll("'", '%27')}`;
}

/**
 * Stands for a file that a stylesheet names and the project lacks. The frame asks for it, as on the
 * served path, so that the browser tells of it.
 */
export function absentAddress(path: string): string {
  return `vitrine-absent:${encodePath(path).replaceAll("'", '%27')}`;
}

function moduleSpecifier(path: string): string {
  return `vitrine-module:${encodePath(path)}`;
}

function runningText({ code, text }: ProjectFile): string {
  return code ?? text;
}

function order(files: InlinedFile[]): InlinedFile[] {
  const rank = (file: InlinedFile) => (isScript(file) ? 2 : isStyle(file) ? 1 : 0);
  return files.toSorted((a, b) => rank(a) - rank(b));
}

function isStyle({ path }: InlinedFile): boolean {
  return isStylePath(path);
}

function isScript({ path, mediaType }: InlinedFile): boolean {
  return mediaType.startsWith('text/javascript') || isScriptPath(path);
}

const { script: scriptType, style: styleType } = runningTypes;

type Files = ReadonlyMap<string, ProjectFile>;

/**
 * Modules for a document that is there already: each is named by its own file, which the document's
 * import map does not know. `remade` are the ids of all such modules, the others are in the map.
 */
export function inlineModules(
  ids: Iterable<string>,
  files: readonly ProjectFile[],
  remade: ReadonlySet<string>,
): InlinedFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const nameOf = (file: ProjectFile, query: AssetQuery | undefined) => {
    const id = file.path + (query ?? '');
    return remade.has(id) ? fileAddress(id) : moduleSpecifier(id);
  };
  return Array.from(ids, (id): InlinedFile => {
    const query = findAssetQuery(id);
    const path = id.slice(0, id.length - (query?.length ?? 0));
    const file = byPath.get(path);
    if (!file) throw new Error(`there is no file ${path} to make a module of`);
    const code = query ? assetModule(file, query, fileAddress(path)) : runningText(file);
    return { path: id, text: rewriteScript(path, code, byPath, nameOf), mediaType: scriptType };
  });
}

/** `nameOf` says by what name a script imports a file, or a module made of one that is none. */
function rewriteScript(
  path: string,
  text: string,
  files: Files,
  nameOf: (file: ProjectFile, query: AssetQuery | undefined) => string,
): string {
  const find = (specifier: string) => files.get(resolvePath(path, specifier) ?? '');
  try {
    const imports = findEdits(text, ({ specifier }) => {
      const file = /^\.{0,2}\//.test(specifier) ? find(specifier) : undefined;
      return file && nameOf(file, findAssetQuery(specifier));
    });
    const addresses = findAssetAddresses(text, (specifier) => {
      const file = find(specifier);
      return file && fileAddress(file.path);
    });
    return applyEdits(
      text,
      [...imports, ...addresses].sort((a, b) => a.start - b.start),
    );
  } catch (error) {
    // What the lexer cannot read, the browser will say so at the place.
    if (isLexerError(error)) return text;
    throw error;
  }
}

/** `base` is the path that relative addresses in the text stand on. */
interface Inlining extends Addresses {
  rewriteStyle(base: string, text: string): string;
  /** Null for a page that has none. */
  scripts: {
    rewrite(base: string, text: string): string;
    /** The page's import map, from the one that it has. */
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
  /** Writes the import map; returns the tag that was put in for it, or ''. */
  let writeImportMap = () => {
    if (!scripts) return '';
    const map = escapeScript(scripts.makeImportMap(path, '{}'));
    const tag = `<script type="importmap">${map}</script>`;
    output.appendLeft(findHeadStart(html), tag);
    return tag;
  };
  let hasImportMap = false;
  /** What relative addresses stand on, from here on. */
  let base = path;
  let hasBase = false;
  for (const element of elementsOf(parse(html, { sourceCodeLocationInfo: true }))) {
    const href = element.tagName === 'base' ? attributeOf(element, 'href') : undefined;
    if (href !== undefined && !hasBase) {
      hasBase = true;
      const found = resolveBase(path, href);
      base = found ?? elsewhere;
      const place = element.sourceCodeLocation?.attrs?.['href'];
      // The document has another address than its page.
      if (found !== undefined && place)
        output.update(place.startOffset, place.endOffset, `href="/${encodePath(found)}"`);
    }
    inlineAttributes(element, base, output, inlining);
    const [text] = element.childNodes;
    const place = text?.sourceCodeLocation;
    if (!text || !('value' in text) || !place) continue;
    const replace = (by: string) =>
      output.update(place.startOffset, place.endOffset, keepLines(text.value, by));
    if (element.tagName === 'style') replace(inlining.rewriteStyle(base, text.value));
    if (element.tagName !== 'script' || !scripts) continue;
    const type = attributeOf(element, 'type')?.trim().toLowerCase() ?? '';
    if (type === 'importmap' && !hasImportMap) {
      hasImportMap = true;
      const stand = base;
      writeImportMap = () => {
        replace(escapeScript(scripts.makeImportMap(stand, text.value)));
        return '';
      };
    } else if (type === '' || type === 'module' || type === 'text/javascript')
      replace(scripts.rewrite(base, text.value) + sourceUrl(path, place));
  }
  const tag = writeImportMap();
  const written = output.toString();
  return { html: written, mapEnd: tag === '' ? 0 : written.indexOf(tag) + tag.length };
}

/** A folder of no project: addresses that stand on it lead to none of the project's files. */
const elsewhere = 'elsewhere:/';

function* elementsOf(node: Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('content' in node) yield* elementsOf(node.content);
  if (!('childNodes' in node)) return;
  for (const child of node.childNodes) yield* elementsOf(child);
}

/** The page's own import map, its addresses made ours, and every module of the project. */
function mergeImportMap(own: string, path: string, files: Files, asked: Iterable<string>): unknown {
  const map = readImportMap(own);
  const relocate = (entries: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([key, address]): [string, unknown][] => {
        const target = typeof address === 'string' ? resolvePath(path, address) : undefined;
        if (target === undefined) return [[key, address]];
        // Blobs have no folders: an entry for a folder becomes one for each file in it.
        if (key.endsWith('/') && target.endsWith('/'))
          return [...files.keys()]
            .filter((file) => file.startsWith(target))
            .map((file) => [key + file.slice(target.length), fileAddress(file)]);
        return [[key, files.has(target) ? fileAddress(target) : address]];
      }),
    );
  const loaded = [...files.values()]
    .filter((file) => isScript(file) || file.mediaType.startsWith('application/json'))
    .map((file) => file.path);
  const modules = [...loaded, ...asked].map((found) => [
    moduleSpecifier(found),
    fileAddress(found),
  ]);
  return {
    ...map,
    imports: { ...relocate(asRecord(map['imports'])), ...Object.fromEntries(modules) },
  };
}

function readImportMap(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch (error) {
    // The browser would ignore a map that does not parse.
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
 * Scripts of a written document have lines of their own and no address; this gives them one that
 * says where they are: `vitrine-page:PATH?LINE.COLUMN` of their first character.
 */
function sourceUrl(path: string, place: { startLine: number; startCol: number }): string {
  return `\n//# sourceURL=vitrine-page:${encodePath(path)}?${place.startLine}.${place.startCol}`;
}

/** Adds the line ends that a shorter text lacks. */
function keepLines(before: string, after: string): string {
  const missing = before.split('\n').length - after.split('\n').length;
  return after + '\n'.repeat(Math.max(0, missing));
}
