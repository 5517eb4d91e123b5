/**
 * A project as one document and texts that need no addresses, for frames that have none. Texts name
 * files as `vitrine-file:PATH`, which the frame replaces by blobs, and modules import each other as
 * `vitrine-module:PATH`, which one import map leads to the same blobs. So modules keep one identity
 * each, also in circles.
 */
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { MagicString } from 'magic-string';
import { assetModule, hasAssetModule, moduleQuery } from './asset-modules.ts';
import { isScriptPath } from './needs-compiling.ts';
import { findHeadStart } from './instrument-html.ts';
import { encodePath, resolvePath } from './resolve-path.ts';
import { flattenCss, rewriteCss } from './rewrite-css.ts';
import { renameImports } from './rename-imports.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface ProjectFile {
  path: string;
  text: string;
  mediaType: string;
  /** What runs in place of the text; null where the text itself does. */
  code: string | null;
}

/** A file in the form in which it runs. */
export type InlinedFile = Omit<ProjectFile, 'code'>;

export interface InlinedProject {
  html: string;
  /** Assets first, then styles and scripts, which name them. */
  files: InlinedFile[];
}

/** Where attributes hold addresses of files that a page loads. */
const loadingAttributes: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  link: ['href'],
  img: ['src'],
  source: ['src'],
  audio: ['src'],
  video: ['src', 'poster'],
  track: ['src'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
  input: ['src'],
  iframe: ['src'],
  object: ['data'],
  embed: ['src'],
};

/** `entry` has to be among the files. Throws where it is not. */
export function inlineProject(files: readonly ProjectFile[], entry: string): InlinedProject {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const page = byPath.get(entry);
  if (!page) throw new Error(`there is no file ${entry} to begin with`);
  const addressOf = (path: string) => (byPath.has(path) ? fileAddress(path) : undefined);
  const read = (path: string) => byPath.get(path)?.text;
  const modules = files.filter(({ path }) => hasAssetModule(path)).map(makeAssetModule);
  const rewritten = [...files, ...modules].map((file): InlinedFile => {
    const { path, text, code, mediaType } = file;
    if (isStyle(file)) return { path, mediaType, text: flattenCss(path, read, addressOf) };
    if (!isScript(file)) return { path, mediaType, text };
    return { path, mediaType: scriptType, text: rewriteScript(path, code ?? text, byPath) };
  });
  const html = inlineDocument({ ...page, text: page.code ?? page.text }, byPath, addressOf);
  return { html, files: order(rewritten) };
}

/** Stands for a file in the texts of an inlined project. */
export function fileAddress(path: string): string {
  // It may stand between single quotes, which end it.
  return `vitrine-file:${encodePath(path).replaceAll("'", '%27')}`;
}

function moduleSpecifier(path: string): string {
  return `vitrine-module:${encodePath(path)}`;
}

/** The module that a script gets for a file of another kind, at the path of the file and a query. */
function makeAssetModule({ path, text }: ProjectFile): ProjectFile {
  return {
    path: path + moduleQuery,
    text: assetModule(path, text, fileAddress(path)) ?? '',
    mediaType: scriptType,
    code: null,
  };
}

function order(files: InlinedFile[]): InlinedFile[] {
  const rank = (file: InlinedFile) => (isScript(file) ? 2 : isStyle(file) ? 1 : 0);
  return files.toSorted((a, b) => rank(a) - rank(b));
}

function isStyle({ mediaType }: InlinedFile): boolean {
  return mediaType.startsWith('text/css');
}

function isScript({ path, mediaType }: InlinedFile): boolean {
  return mediaType.startsWith('text/javascript') || isScriptPath(path);
}

const scriptType = 'text/javascript; charset=utf-8';

type Files = ReadonlyMap<string, ProjectFile>;

function rewriteScript(path: string, text: string, files: Files): string {
  return renameImports(path, text, (id) => {
    const target = pathOfId(id);
    return files.has(target) ? moduleSpecifier(isAssetId(id) ? id : target) : undefined;
  });
}

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
  const nameOf = (id: string) => {
    if (!byPath.has(pathOfId(id))) return undefined;
    return remade.has(id) ? fileAddress(id) : moduleSpecifier(id);
  };
  return Array.from(ids, (id): InlinedFile => {
    const path = pathOfId(id);
    const file = byPath.get(path);
    if (!file) throw new Error(`there is no file ${path} to make a module of`);
    const text = isAssetId(id)
      ? makeAssetModule(file).text
      : renameImports(path, file.code ?? file.text, nameOf);
    return { path: id, text, mediaType: scriptType };
  });
}

function pathOfId(id: string): string {
  return id.split('?')[0] ?? '';
}

function isAssetId(id: string): boolean {
  return id.endsWith(moduleQuery);
}

function inlineDocument(
  page: ProjectFile,
  files: Files,
  addressOf: (path: string) => string | undefined,
): string {
  const output = new MagicString(page.text);
  let hasImportMap = false;
  const importMap = (own: string) => JSON.stringify(mergeImportMap(own, page.path, files));
  for (const element of elementsOf(parse(page.text, { sourceCodeLocationInfo: true }))) {
    inlineAttributes(element, page, output, addressOf);
    const [text] = element.childNodes;
    const place = text?.sourceCodeLocation;
    if (!text || !('value' in text) || !place) continue;
    const replace = (by: string) =>
      output.update(place.startOffset, place.endOffset, keepLines(text.value, by));
    if (element.tagName === 'style')
      replace(rewriteCss(text.value, inlineUrls(page.path, addressOf)));
    if (element.tagName !== 'script') continue;
    const type = attributeOf(element, 'type')?.trim().toLowerCase() ?? '';
    if (type === 'importmap' && !hasImportMap) {
      hasImportMap = true;
      replace(escapeScript(importMap(text.value)));
    } else if (type === '' || type === 'module' || type === 'text/javascript')
      replace(rewriteScript(page.path, text.value, files) + sourceUrl(page.path, place));
  }
  if (!hasImportMap)
    output.appendLeft(
      findHeadStart(page.text),
      `<script type="importmap">${escapeScript(importMap('{}'))}</script>`,
    );
  return output.toString();
}

function* elementsOf(node: Node): Generator<Element> {
  if ('tagName' in node) yield node;
  if ('content' in node) yield* elementsOf(node.content);
  if (!('childNodes' in node)) return;
  for (const child of node.childNodes) yield* elementsOf(child);
}

function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

function inlineAttributes(
  element: Element,
  page: ProjectFile,
  output: MagicString,
  addressOf: (path: string) => string | undefined,
): void {
  for (const name of loadingAttributes[element.tagName] ?? []) {
    const value = attributeOf(element, name);
    const target = value === undefined ? undefined : resolvePath(page.path, value);
    const address = target === undefined ? undefined : addressOf(target);
    const place = element.sourceCodeLocation?.attrs?.[name];
    if (address === undefined || !place) continue;
    const fragment = value?.includes('#') ? value.slice(value.indexOf('#')) : '';
    output.update(place.startOffset, place.endOffset, `${name}="${address}${fragment}"`);
  }
}

function inlineUrls(path: string, addressOf: (path: string) => string | undefined) {
  return {
    rewriteUrl: (address: string) => {
      const target = resolvePath(path, address);
      return target === undefined ? undefined : addressOf(target);
    },
  };
}

/** The page's own import map, its addresses made ours, and every module of the project. */
function mergeImportMap(own: string, path: string, files: Files): unknown {
  const map = readImportMap(own);
  const relocate = (entries: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(entries).map(([key, address]) => {
        const target = typeof address === 'string' ? resolvePath(path, address) : undefined;
        return [key, target !== undefined && files.has(target) ? fileAddress(target) : address];
      }),
    );
  const modules = [...files.values()]
    .flatMap((file) => [
      ...(isScript(file) || file.mediaType.startsWith('application/json') ? [file.path] : []),
      ...(hasAssetModule(file.path) ? [file.path + moduleQuery] : []),
    ])
    .map((path) => [moduleSpecifier(path), fileAddress(path)]);
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
