import type { Range } from 'vscode-css-languageservice';
import type { TextDocument } from 'vscode-html-languageservice';
import type { FilePosition, FileEdits, CodeLocation, Reference } from '../typescript/messages.ts';
import type { MarkupResults, MarkupParams } from './messages.ts';
import type { SharedName } from './shared-names.ts';
import {
  getLineText,
  toProjectFilePath,
  toCodeLocation,
  resolveLink,
  type NameOccurrence,
} from './markup-project.ts';
import type { MarkupFile, ParsedStyle } from './markup-file.ts';
import type { MarkupContext } from './services.ts';

interface FileRange {
  readonly file: MarkupFile;
  readonly from: number;
  readonly to: number;
}

/** The class, id or custom property at an offset. */
export function findNameAt(file: MarkupFile, offset: number): SharedName | undefined {
  const found = file.names.find(({ from, to }) => from <= offset && offset <= to);
  const isInScript = file.kind === 'script' || file.findRegionAt(offset)?.kind === 'script';
  return isInScript ? undefined : found;
}

/**
 * Finds the definition of the name at an offset: a rule, an element, a declaration, or the file of
 * a link.
 */
export function findMarkupDefinitions(
  context: MarkupContext,
  { path, offset }: FilePosition,
): CodeLocation[] {
  const file = context.files.find(path);
  if (!file) return [];
  const name = findNameAt(file, offset);
  if (name) {
    const sources = findOccurrences(context, name).filter(({ isDefinition }) => isDefinition);
    return sources.map(({ file: of, from }) => toCodeLocation(of, from));
  }
  const linkedPath = findLinked(context, file, offset);
  if (linkedPath !== undefined) return [{ path: linkedPath, line: 1, column: 1 }];
  const style = file.findStyleAt(offset);
  const found = style && createStyleQueries(context, style, offset).definition();
  return found ? [toCodeLocation(file, style.document.offsetAt(found.range.start))] : [];
}

/** Finds all occurrences of the name at an offset. */
export function findMarkupReferences(
  context: MarkupContext,
  { path, offset }: FilePosition,
): Reference[] {
  const file = context.files.find(path);
  const ranges = file ? findRanges(context, file, offset) : [];
  return ranges.map((target) => ({
    ...toCodeLocation(target.file, target.from),
    text: getLineText(target.file, target.from),
  }));
}

/** The name at an offset, if it can be renamed. */
export function findMarkupRenameTarget(
  context: MarkupContext,
  { path, offset }: FilePosition,
): MarkupResults['renaming'] {
  const file = context.files.find(path);
  if (!file) return null;
  const target = findNameAt(file, offset) ?? findLocalName(context, file, offset);
  return target
    ? { from: target.from, to: target.to, name: file.text.slice(target.from, target.to) }
    : null;
}

/** Edits that rename all occurrences of the name at an offset. */
export function renameMarkupName(
  context: MarkupContext,
  { path, offset, name }: MarkupParams['rename'],
): FileEdits[] {
  const file = context.files.find(path);
  if (!file) return [];
  const sharedName = findNameAt(file, offset);
  const style = file.findStyleAt(offset);
  if (sharedName) return toFileEdits(findRanges(context, file, offset), name);
  if (style)
    return toServiceEdits(
      file,
      style.document,
      createStyleQueries(context, style, offset).rename(name),
    );
  const { document, tree } = file.markup;
  const service = context.getHtmlService(file);
  const found = service.doRename(document, document.positionAt(offset), name, tree);
  return toServiceEdits(file, document, found?.changes?.[document.uri] ?? []);
}

function findRanges(context: MarkupContext, file: MarkupFile, offset: number): FileRange[] {
  const name = findNameAt(file, offset);
  if (name) return findOccurrences(context, name);
  const style = file.findStyleAt(offset);
  if (!style) return [];
  return createStyleQueries(context, style, offset)
    .references()
    .map(({ range }) => ({ file, ...toRange(style.document, range) }));
}

function findOccurrences({ files }: MarkupContext, { kind, name }: SharedName): NameOccurrence[] {
  const found = [...files.findNames(kind, name)];
  // Markup in components may be scanned in two ways; each position counts once.
  const byPlace = new Map(found.map((each) => [`${each.file.path}:${each.from}`, each]));
  return [...byPlace.values()].toSorted((a, b) => (a.file === b.file ? a.from - b.from : 0));
}

/** A name that a language service renames within one file: a variable, a mixin, a pair of tags. */
function findLocalName(context: MarkupContext, file: MarkupFile, offset: number) {
  const style = file.findStyleAt(offset);
  if (style) {
    const queries = createStyleQueries(context, style, offset);
    const converted = queries.definition();
    const range =
      converted && isLocalName(style.document, converted.range) ? queries.renaming() : undefined;
    return range && toRange(style.document, range);
  }
  if (!file.isMarkup || file.findRegionAt(offset)) return undefined;
  const { document, tree } = file.markup;
  const service = context.getHtmlService(file);
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
  { styleServices }: MarkupContext,
  { dialect, document, sheet }: ParsedStyle,
  offset: number,
) {
  const service = styleServices[dialect];
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
function findLinked(context: MarkupContext, file: MarkupFile, offset: number): string | undefined {
  const links = listLinks(context, file, offset);
  const link = links.find(({ from, to }) => from <= offset && offset <= to);
  const target = link?.target?.startsWith('file:') ? toProjectFilePath(link.target) : undefined;
  return target !== undefined && context.files.find(target) ? target : undefined;
}

function listLinks(context: MarkupContext, file: MarkupFile, offset: number) {
  const documentContext = { resolveReference: resolveLink };
  const style = file.findStyleAt(offset);
  if (!style && !file.isMarkup) return [];
  const { document } = style ?? file.markup;
  const links = style
    ? context.styleServices[style.dialect].findDocumentLinks(document, style.sheet, documentContext)
    : context.getHtmlService(file).findDocumentLinks(document, documentContext);
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
  { path }: MarkupFile,
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
