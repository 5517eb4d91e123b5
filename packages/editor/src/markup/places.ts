import type { Range } from 'vscode-css-languageservice';
import type { TextDocument } from 'vscode-html-languageservice';
import type { At, FileEdits, Place, Reference } from '../typescript/messages.ts';
import type { MarkupAnswered, MarkupAsked } from './messages.ts';
import type { Name } from './names-in-text.ts';
import { lineAt, pathOf, placeAt, resolveReference, type FoundName } from './project-files.ts';
import type { ReadFile, Style } from './read-file.ts';
import type { Known } from './services.ts';

interface Span {
  readonly file: ReadFile;
  readonly from: number;
  readonly to: number;
}

/** The class, id or custom property at an offset. */
export function nameAt(file: ReadFile, offset: number): Name | undefined {
  const found = file.names.find(({ from, to }) => from <= offset && offset <= to);
  const isInScript = file.kind === 'script' || file.regionAt(offset)?.kind === 'script';
  return isInScript ? undefined : found;
}

/** Where what is named here is made: a rule, an element, a declaration, or the file of an address. */
export function findDefinitions(known: Known, { path, offset }: At): Place[] {
  const file = known.files.find(path);
  if (!file) return [];
  const name = nameAt(file, offset);
  if (name) {
    const sources = occurrences(known, name).filter(({ isSource }) => isSource);
    return sources.map(({ file: of, from }) => placeAt(of, from));
  }
  const linked = findLinked(known, file, offset);
  if (linked !== undefined) return [{ path: linked, line: 1, column: 1 }];
  const style = file.styleAt(offset);
  const found = style && askStyle(known, style, offset).definition();
  return found ? [placeAt(file, style.document.offsetAt(found.range.start))] : [];
}

/** Where it stands in the project. */
export function findReferences(known: Known, { path, offset }: At): Reference[] {
  const file = known.files.find(path);
  const spans = file ? findSpans(known, file, offset) : [];
  return spans.map((span) => ({
    ...placeAt(span.file, span.from),
    text: lineAt(span.file, span.from),
  }));
}

/** What would be renamed here, if anything would. */
export function findRenaming(known: Known, { path, offset }: At): MarkupAnswered['renaming'] {
  const file = known.files.find(path);
  if (!file) return null;
  const span = nameAt(file, offset) ?? findOwnName(known, file, offset);
  return span ? { from: span.from, to: span.to, name: file.text.slice(span.from, span.to) } : null;
}

/** The edits that give it a name wherever it is named. */
export function rename(known: Known, { path, offset, name }: MarkupAsked['rename']): FileEdits[] {
  const file = known.files.find(path);
  if (!file) return [];
  const shared = nameAt(file, offset);
  const style = file.styleAt(offset);
  if (shared) return toEdits(findSpans(known, file, offset), name);
  if (style) return serviceEdits(file, style.document, askStyle(known, style, offset).rename(name));
  const { document, tree } = file.markup;
  const service = known.markupOf(file);
  const found = service.doRename(document, document.positionAt(offset), name, tree);
  return serviceEdits(file, document, found?.changes?.[document.uri] ?? []);
}

function findSpans(known: Known, file: ReadFile, offset: number): Span[] {
  const name = nameAt(file, offset);
  if (name) return occurrences(known, name);
  const style = file.styleAt(offset);
  if (!style) return [];
  return askStyle(known, style, offset)
    .references()
    .map(({ range }) => ({ file, ...toSpan(style.document, range) }));
}

function occurrences({ files }: Known, { kind, name }: Name): FoundName[] {
  const found = [...files.names(kind, name)];
  // A text may be read in two ways, and a place counts once.
  const byPlace = new Map(found.map((each) => [`${each.file.path}:${each.from}`, each]));
  return [...byPlace.values()].toSorted((a, b) => (a.file === b.file ? a.from - b.from : 0));
}

/** What a language service of one file can rename: a variable, a mixin, a pair of tags. */
function findOwnName(known: Known, file: ReadFile, offset: number) {
  const style = file.styleAt(offset);
  if (style) {
    const asked = askStyle(known, style, offset);
    const made = asked.definition();
    const range = made && isOwnName(style.document, made.range) ? asked.renaming() : undefined;
    return range && toSpan(style.document, range);
  }
  if (!file.isMarkup || file.regionAt(offset)) return undefined;
  const { document, tree } = file.markup;
  const service = known.markupOf(file);
  const found = service.doRename(document, document.positionAt(offset), 'x', tree);
  const spans = found?.changes?.[document.uri]?.map(({ range }) => toSpan(document, range));
  return spans?.find(({ from, to }) => from <= offset && offset <= to);
}

/** A variable, a placeholder, a mixin, a function or keyframes: what a stylesheet names itself. */
function isOwnName(document: TextDocument, range: Range): boolean {
  const { from, to } = toSpan(document, range);
  const text = document.getText();
  return (
    /^[$@%]/.test(text.slice(from, to)) ||
    /@(?:mixin|function|keyframes)\s+$/.test(text.slice(0, from))
  );
}

function askStyle({ styles }: Known, { dialect, document, sheet }: Style, offset: number) {
  const service = styles[dialect];
  const position = document.positionAt(offset);
  return {
    definition: () => service.findDefinition(document, position, sheet),
    references: () => service.findReferences(document, position, sheet),
    renaming: () => service.prepareRename(document, position, sheet),
    rename: (name: string) =>
      service.doRename(document, position, name, sheet).changes?.[document.uri] ?? [],
  };
}

/** The project's file that an address at an offset leads to. */
function findLinked(known: Known, file: ReadFile, offset: number): string | undefined {
  const links = listLinks(known, file, offset);
  const link = links.find(({ from, to }) => from <= offset && offset <= to);
  const target = link?.target?.startsWith('file:') ? pathOf(link.target) : undefined;
  return target !== undefined && known.files.find(target) ? target : undefined;
}

function listLinks(known: Known, file: ReadFile, offset: number) {
  const context = { resolveReference };
  const style = file.styleAt(offset);
  if (!style && !file.isMarkup) return [];
  const { document } = style ?? file.markup;
  const links = style
    ? known.styles[style.dialect].findDocumentLinks(document, style.sheet, context)
    : known.markupOf(file).findDocumentLinks(document, context);
  return links.map(({ range, target }) => ({ ...toSpan(document, range), target }));
}

function toEdits(spans: readonly Span[], insert: string): FileEdits[] {
  const byFile = Map.groupBy(spans, ({ file }) => file.path);
  return [...byFile].map(([path, each]) => ({
    path,
    edits: each.map(({ from, to }) => ({ from, to, insert })),
  }));
}

function serviceEdits(
  { path }: ReadFile,
  document: TextDocument,
  edits: readonly { readonly range: Range; readonly newText: string }[],
): FileEdits[] {
  if (edits.length === 0) return [];
  const made = edits.map(({ range, newText }) => ({ ...toSpan(document, range), insert: newText }));
  return [{ path, edits: made.toSorted((a, b) => a.from - b.from) }];
}

function toSpan(document: TextDocument, { start, end }: Range) {
  return { from: document.offsetAt(start), to: document.offsetAt(end) };
}
