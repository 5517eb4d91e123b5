/**
 * What a page loads from other hosts, and edits of the page's text that change it. The text is the
 * only place where this is stored.
 */
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import type { FileEdits } from '@vitrine/editor/language-service';
import { VitrineError } from '@vitrine/project';

export type PageEdits = FileEdits['edits'];

/** How a script is loaded: at once, after the document, or as an ES module. */
export type ScriptLoading = 'blocking' | 'defer' | 'async' | 'module';

/** An element of a page that loads something from another host. */
export interface PageResource {
  readonly kind: 'script' | 'stylesheet' | 'link';
  /** URL as the page writes it, trimmed. */
  readonly address: string;
  /** Value of `rel`, for a link that isn't a stylesheet. */
  readonly rel: string;
  /** For a script. */
  readonly loading: ScriptLoading;
  /** Offsets of the element in the text; `startEnd` is where its start tag ends. */
  readonly from: number;
  readonly startEnd: number;
  readonly to: number;
}

/** A script of the page that the project contains. */
export interface OwnScript {
  /** Value of `src`; undefined for an inline script. */
  readonly src: string | undefined;
  readonly isModule: boolean;
  readonly from: number;
  readonly startEnd: number;
  /** Offsets of the text of an inline script. */
  readonly content: { readonly from: number; readonly text: string };
}

/** A parsed page. */
export interface PageOutline {
  readonly resources: readonly PageResource[];
  readonly ownScripts: readonly OwnScript[];
  /** URLs of stylesheets of the project, with the offset of their elements. */
  readonly ownStylesheets: readonly { readonly href: string; readonly from: number }[];
  /** Whether an element has an attribute such as `onclick`, which needs global functions. */
  readonly hasEventAttributes: boolean;
  /** Offset where an element at the end of the head goes. */
  readonly headEnd: number;
}

type Element = DefaultTreeAdapterTypes.Element;

/** Reads what a page loads, in the order of the text. */
export function readPage(text: string): PageOutline {
  const resources: PageResource[] = [];
  const ownScripts: OwnScript[] = [];
  const ownStylesheets: { href: string; from: number }[] = [];
  let hasEventAttributes = false;
  const elements = listElements(parse(text, { sourceCodeLocationInfo: true }));
  for (const element of elements) {
    const { sourceCodeLocation: location, tagName } = element;
    hasEventAttributes ||= element.attrs.some(({ name }) => /^on[a-z]/.test(name));
    if (!location) continue;
    const from = location.startOffset;
    const to = location.endOffset;
    const startEnd = location.startTag?.endOffset ?? to;
    const read = (name: string) => element.attrs.find((each) => each.name === name)?.value.trim();
    const loading = readLoading(
      read('type'),
      read('defer') !== undefined,
      read('async') !== undefined,
    );
    if (tagName === 'script' && loading !== undefined) {
      const src = read('src');
      if (src !== undefined && isExternal(src))
        resources.push({ kind: 'script', address: src, rel: '', loading, from, startEnd, to });
      else {
        const contentTo = location.endTag?.startOffset ?? to;
        const content = { from: startEnd, text: text.slice(startEnd, contentTo) };
        ownScripts.push({ src, isModule: loading === 'module', from, startEnd, content });
      }
    }
    const href = read('href');
    if (tagName !== 'link' || href === undefined) continue;
    const rel = read('rel')?.toLowerCase() ?? '';
    const isStylesheet = rel.split(/\s+/).includes('stylesheet');
    const kind = isStylesheet ? 'stylesheet' : 'link';
    if (isExternal(href))
      resources.push({ kind, address: href, rel, loading: 'blocking', from, startEnd, to });
    else if (isStylesheet) ownStylesheets.push({ href, from });
  }
  return {
    resources,
    ownScripts,
    ownStylesheets,
    hasEventAttributes,
    headEnd: findHeadEnd(text, elements),
  };
}

/** Elements in the order of the text. Without recursion, as a page may nest them by the thousands. */
function listElements(root: DefaultTreeAdapterTypes.ParentNode): Element[] {
  const elements: Element[] = [];
  const pending: DefaultTreeAdapterTypes.ChildNode[] = root.childNodes.toReversed();
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (!('tagName' in node)) continue;
    elements.push(node);
    for (const child of node.childNodes.toReversed()) pending.push(child);
  }
  return elements;
}

/** Undefined for a data block, such as JSON or an import map. */
function readLoading(
  type: string | undefined,
  isDeferred: boolean,
  isAsync: boolean,
): ScriptLoading | undefined {
  if (type?.toLowerCase() === 'module') return 'module';
  if (
    type !== undefined &&
    type !== '' &&
    !/javascript|ecmascript|babel|jsx|typescript/i.test(type)
  )
    return undefined;
  if (isAsync) return 'async';
  return isDeferred ? 'defer' : 'blocking';
}

function isExternal(address: string): boolean {
  return /^(?:https?:|\/\/)/i.test(address);
}

/**
 * A page may leave out the tags of its head: then the head ends after its last element, the start of
 * `<html>`, or the doctype.
 */
function findHeadEnd(text: string, elements: readonly Element[]): number {
  const head = elements.find(({ tagName }) => tagName === 'head');
  const endTag = head?.sourceCodeLocation?.endTag;
  if (endTag) return endTag.startOffset;
  const last = head?.childNodes.findLast((child) => 'tagName' in child && child.sourceCodeLocation);
  if (last?.sourceCodeLocation) return last.sourceCodeLocation.endOffset;
  const start = head?.sourceCodeLocation?.startTag ?? elements[0]?.sourceCodeLocation?.startTag;
  return start?.endOffset ?? /^\s*<!doctype[^>]*>/i.exec(text)?.[0].length ?? 0;
}

/** Why a resource doesn't load as meant, or undefined. */
export function findResourceProblem(
  resource: PageResource,
  { resources }: PageOutline,
  isSecurePage: boolean,
): string | undefined {
  const url = parseAddress(resource.address);
  if (!url) return 'This URL isn’t valid.';
  const first = resources.find(
    (each) => each.kind === resource.kind && parseAddress(each.address)?.href === url.href,
  );
  if (first !== resource) return 'The page loads this URL more than once.';
  if (url.protocol === 'http:' && isSecurePage)
    return 'Browsers block http:// on this page. Use https:// instead.';
  return undefined;
}

/** URL of an address that may lack its scheme: "//unpkg.com/a.js". */
export function parseAddress(address: string): URL | undefined {
  return URL.parse(address.startsWith('//') ? `https:${address}` : address) ?? undefined;
}

/**
 * Edits that add a script or stylesheet: after the last one from another host, or else before the
 * first one of the project, since that may use it.
 *
 * @param input A URL, with or without its scheme, or `<script>` and `<link>` tags.
 * @throws {VitrineError} `resource_url_invalid`, `resource_insecure`, `resource_duplicate`.
 */
export function addResource(text: string, input: string, isSecurePage: boolean): PageEdits {
  const page = readPage(text);
  const added = readInput(input);
  if (added.length === 0) throw new VitrineError('resource_url_invalid', input);
  for (const { kind, address } of added) {
    const url = parseAddress(address);
    if (!url?.hostname.includes('.') && url?.hostname !== 'localhost')
      throw new VitrineError('resource_url_invalid', address);
    if (url.protocol === 'http:' && isSecurePage)
      throw new VitrineError('resource_insecure', address);
    const isSame = (each: PageResource) =>
      each.kind === kind && parseAddress(each.address)?.href === url.href;
    if (page.resources.some(isSame)) throw new VitrineError('resource_duplicate', address);
  }
  return added
    .map(({ kind, tag }) => insertTag(text, page, kind, tag))
    .toSorted((a, b) => a.from - b.from);
}

interface AddedTag {
  readonly kind: PageResource['kind'];
  readonly address: string;
  readonly tag: string;
}

function readInput(input: string): AddedTag[] {
  const trimmed = input.trim();
  if (trimmed.startsWith('<'))
    return readPage(trimmed).resources.map(({ kind, address, from, to }) => ({
      kind,
      address,
      tag: trimmed.slice(from, to),
    }));
  if (trimmed === '' || /[\s"'<>]/.test(trimmed)) return [];
  const hasScheme = isExternal(trimmed);
  if (!hasScheme && !/^[\w-]+(?:\.[\w-]+)+\//.test(trimmed)) return [];
  const address = hasScheme ? trimmed : `https://${trimmed}`;
  const url = parseAddress(address);
  if (!url) return [];
  const written = address.replaceAll('&', '&amp;');
  if (isStylesheetUrl(url))
    return [{ kind: 'stylesheet', address, tag: `<link rel="stylesheet" href="${written}">` }];
  const type = isModuleUrl(url) ? ' type="module"' : '';
  return [{ kind: 'script', address, tag: `<script${type} src="${written}"></script>` }];
}

function isStylesheetUrl({ hostname, pathname }: URL): boolean {
  return /\.css$/i.test(pathname) || /^fonts\.(?:googleapis|bunny)\./.test(hostname);
}

function isModuleUrl({ hostname, pathname }: URL): boolean {
  return (
    /\.mjs$|\/\+esm$|\.module(?:\.min)?\.js$/i.test(pathname) ||
    /^(?:esm\.sh|esm\.run|cdn\.skypack\.dev|jspm\.dev)$/.test(hostname)
  );
}

function insertTag(text: string, page: PageOutline, kind: PageResource['kind'], tag: string) {
  const last = page.resources.findLast((each) => each.kind === kind);
  if (last) return insertAfter(text, last.to, last.from, tag);
  const own =
    kind === 'script'
      ? page.ownScripts[0]?.from
      : kind === 'stylesheet'
        ? page.ownStylesheets[0]?.from
        : undefined;
  // A stylesheet of the project in the body, or none, doesn't matter: links belong into the head.
  const at = own ?? page.headEnd;
  if (own !== undefined)
    return { from: at, to: at, insert: `${tag}${lineBreak(text)}${indentAt(text, at)}` };
  const isOnOwnLine = /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
  if (isOnOwnLine && at > 0) {
    const start = text.lastIndexOf('\n', at - 1) + 1;
    const indent = `${indentAt(text, at)}  `;
    return { from: start, to: start, insert: `${indent}${tag}${lineBreak(text)}` };
  }
  return at === 0
    ? { from: 0, to: 0, insert: `${tag}${lineBreak(text)}` }
    : { from: at, to: at, insert: `${lineBreak(text)}${tag}` };
}

function insertAfter(text: string, at: number, lineOf: number, tag: string) {
  return { from: at, to: at, insert: `${lineBreak(text)}${indentAt(text, lineOf)}${tag}` };
}

function lineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** White space at the start of an offset's line. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0] ?? '';
}

/** Edit that removes an element, with its line if nothing else is on it. */
export function removeElement(text: string, { from, to }: { from: number; to: number }) {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', to);
  const end = lineEnd === -1 ? text.length : lineEnd + 1;
  const isAlone = (text.slice(start, from) + text.slice(to, end)).trim() === '';
  return isAlone ? { from: start, to: end, insert: '' } : { from, to, insert: '' };
}

/** Edits that swap two elements of the page. */
export function swapElements(
  text: string,
  first: { from: number; to: number },
  second: { from: number; to: number },
): PageEdits {
  const [a, b] = first.from < second.from ? [first, second] : [second, first];
  return [
    { from: a.from, to: a.to, insert: text.slice(b.from, b.to) },
    { from: b.from, to: b.to, insert: text.slice(a.from, a.to) },
  ];
}

/** Edit that changes how a script is loaded. Its other attributes stay as they are. */
export function setLoading(
  text: string,
  { from, startEnd }: Pick<PageResource, 'from' | 'startEnd'>,
  loading: ScriptLoading,
) {
  const value = `(?:\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'>]+))?`;
  const attributes = `("[^"]*"|'[^']*')|\\s+(?:type|defer|async)${value}(?=[\\s/>])`;
  const tag = text
    .slice(from, startEnd)
    // Quoted values are kept, whatever they contain.
    .replace(new RegExp(attributes, 'gi'), (_, quoted?: string) => quoted ?? '');
  const added = { blocking: '', defer: ' defer', async: ' async', module: ' type="module"' }[
    loading
  ];
  return { from, to: startEnd, insert: tag.replace(/^<script/i, (name) => name + added) };
}
