import type { Range } from 'vscode-css-languageservice';
import type { TextDocument } from 'vscode-html-languageservice';
import type { At, FileEdits, Place, Reference } from '../typescript/messages.ts';
import type { MarkupAnswered, MarkupAsked } from './messages.ts';
import type { Name } from './names-in-text.ts';
import { lineAt, pathOf, placeAt, resolveReference, type FoundName } from './project-files.ts';
import type { ReadFile, Style } from './read-file.ts';
import type { Known } from './services.ts';

interface FileRange {
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

/**
 * Finds the definition of the name at an offset: a rule, an element, a declaration, or the file of
 * a link.
 */
export function findDefinitions(context: Known, { path, offset }: At): Place[] {
  const file = context.files.find(path);
  if (!file) return [];
  const name = nameAt(file, offset);
  if (name) {
    const sources = findOccurrences(context, name).filter(({ isSource }) => isSource);
    return sources.map(({ file: of, from }) => placeAt(of, from));
  }
  const linkedPath = findLinked(context, file, offset);
  if (linkedPath !== undefined) return [{ path: linkedPath, line: 1, column: 1 }];
  const style = file.styleAt(offset);
  const found = style && createStyleQueries(context, style, offset).definition();
  return found ? [placeAt(file, style.document.offsetAt(found.range.start))] : [];
}

/** Finds all occurrences of the name at an offset. */
export function findReferences(context: Known, { path, offset }: At): Reference[] {
  const file = context.files.find(path);
  const ranges = file ? findRanges(context, file, offset) : [];
  return ranges.map((target) => ({
    ...placeAt(target.file, target.from),
    text: lineAt(target.file, target.from),
  }));
}

/** The name at an offset, if it can be renamed. */
export function findRenaming(context: Known, { path, offset }: At): MarkupAnswered['renaming'] {
  const file = context.files.find(path);
  if (!file) return null;
  const target = nameAt(file, offset) ?? findLocalName(context, file, offset);
  return target
    ? { from: target.from, to: target.to, name: file.text.slice(target.from, target.to) }
    : null;
}

/** Edits that rename all occurrences of the name at an offset. */
export function rename(context: Known, { path, offset, name }: MarkupAsked['rename']): FileEdits[] {
  const file = context.files.find(path);
  if (!file) return [];
  const sharedName = nameAt(file, offset);
  const style = file.styleAt(offset);
  if (sharedName) return toFileEdits(findRanges(context, file, offset), name);
  if (style)
    return toServiceEdits(
      file,
      style.document,
      createStyleQueries(context, style, offset).rename(name),
    );
  const { document, tree } = file.markup;
  const service = context.markupOf(file);
  const found = service.doRename(document, document.positionAt(offset), name, tree);
  return toServiceEdits(file, document, found?.changes?.[document.uri] ?? []);
}

function findRanges(context: Known, file: ReadFile, offset: number): FileRange[] {
  const name = nameAt(file, offset);
  if (name) return findOccurrences(context, name);
  const style = file.styleAt(offset);
  if (!style) return [];
  return createStyleQueries(context, style, offset)
    .references()
    .map(({ range }) => ({ file, ...toRange(style.document, range) }));
}

function findOccurrences({ files }: Known, { kind, name }: Name): FoundName[] {
  const found = [...files.names(kind, name)];
  // Markup in components may be scanned in two ways; each position counts once.
  const byPlace = new Map(found.map((each) => [`${each.file.path}:${each.from}`, each]));
  return [...byPlace.values()].toSorted((a, b) => (a.file === b.file ? a.from - b.from : 0));
}

/** A name that a language service renames within one file: a variable, a mixin, a pair of tags. */
function findLocalName(context: Known, file: ReadFile, offset: number) {
  const style = file.styleAt(offset);
  if (style) {
    const queries = createStyleQueries(context, style, offset);
    const converted = queries.definition();
    const range =
      converted && isLocalName(style.document, converted.range) ? queries.renaming() : undefined;
    return range && toRange(style.document, range);
  }
  if (!file.isMarkup || file.regionAt(offset)) return undefined;
  const { document, tree } = file.markup;
  const service = context.markupOf(file);
  const found = service.doRename(document, document.positionAt(offset), 'x', tree);
  const ranges = found?.changes?.[document.uri]?.map(({ range }) => toRange(document, range));
  return ranges?.find(({ from, to }) => from <= offset && offset <= to);
}

/**
 * True for names that stylesheets declare: variables, placeholders, mixins, functions and
 * keyframes.
 */
function isLocalName(document: TextDocument, range: Range): boolean {
  const { from, to } = toRange(document, range);
  const text = document.getText();
  return (
    /^[$@%]/.test(text.slice(from, to)) ||
    /@(?:mixin|function|keyframes)\s+$/.test(text.slice(0, from))
  );
}

function createStyleQueries(
  { styles }: Known,
  { dialect, document, sheet }: Style,
  offset: number,
) {
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

/** The project file that a link at an offset points to. */
function findLinked(context: Known, file: ReadFile, offset: number): string | undefined {
  const links = listLinks(context, file, offset);
  const link = links.find(({ from, to }) => from <= offset && offset <= to);
  const target = link?.target?.startsWith('file:') ? pathOf(link.target) : undefined;
  return target !== undefined && context.files.find(target) ? target : undefined;
}

function listLinks(context: Known, file: ReadFile, offset: number) {
  const documentContext = { resolveReference };
  const style = file.styleAt(offset);
  if (!style && !file.isMarkup) return [];
  const { document } = style ?? file.markup;
  const links = style
    ? context.styles[style.dialect].findDocumentLinks(document, style.sheet, documentContext)
    : context.markupOf(file).findDocumentLinks(document, documentContext);
  return links.map(({ range, target }) => ({ ...toRange(document, range), target }));
}

function toFileEdits(ranges: readonly FileRange[], insert: string): FileEdits[] {
  const byFile = Map.groupBy(ranges, ({ file }) => file.path);
  return [...byFile].map(([path, each]) => ({
    path,
    edits: each.map(({ from, to }) => ({ from, to, insert })),
  }));
}

function toServiceEdits(
  { path }: ReadFile,
  document: TextDocument,
  edits: readonly { readonly range: Range; readonly newText: string }[],
): FileEdits[] {
  if (edits.length === 0) return [];
  const converted = edits.map(({ range, newText }) => ({
    ...toRange(document, range),
    insert: newText,
  }));
  return [{ path, edits: converted.toSorted((a, b) => a.from - b.from) }];
}

function toRange(document: TextDocument, { start, end }: Range) {
  return { from: document.offsetAt(start), to: document.offsetAt(end) };
}
