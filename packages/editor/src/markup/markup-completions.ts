import type { HtmlAttributeValueContext, TextDocument } from 'vscode-html-languageservice';
import { toMarkupEntry } from './completion-entries.ts';
import { markupSnippets } from './markup-snippets.ts';
import type { MarkupCompletion } from './messages.ts';
import { isIdReference } from './shared-names.ts';
import type { MarkupProject } from './markup-project.ts';
import type { MarkupFile } from './markup-file.ts';
import type { MarkupContext } from './services.ts';
import type { MarkupCompletionResult } from './style-completions.ts';

/** Completes markup: tags, attributes and values, and the project's names and components. */
export function completeInMarkup(
  context: MarkupContext,
  file: MarkupFile,
  offset: number,
): MarkupCompletionResult {
  const service = context.getHtmlService(file);
  const { document, tree } = file.markup;
  const values: HtmlAttributeValueContext[] = [];
  service.setCompletionParticipants([{ onHtmlAttributeValue: (value) => values.push(value) }]);
  const position = document.positionAt(offset);
  const found = service.doComplete(document, position, tree);
  const [value] = values;
  const serviceItems = found.items.filter(
    ({ label }) => !label.startsWith('&') || /&\w*$/.test(textBefore(file, offset)),
  );
  const serviceEntries = serviceItems.map((item) => toMarkupEntry(item, document));
  const nameEntries = value ? completeNames(context.files, file, value, document, offset) : [];
  const snippetEntries = startsLine(file, offset) ? markupSnippets(file.kind) : [];
  const componentEntries = /<[\w.-]*$/.test(textBefore(file, offset))
    ? findComponents(file, offset)
    : [];
  return {
    entries: [...componentEntries, ...nameEntries, ...serviceEntries, ...snippetEntries],
    serviceItems,
  };
}

function completeNames(
  files: MarkupProject,
  file: MarkupFile,
  { attribute, value, range }: HtmlAttributeValueContext,
  document: TextDocument,
  offset: number,
): MarkupCompletion[] {
  const word = /[^\s"'=]*$/.exec(value)?.[0] ?? '';
  const from = offset - word.length;
  const hasQuotes = /^["']/.test(document.getText(range));
  const whole = document.getText(range).replace(/["']/g, '');
  const quote = (name: string) => (hasQuotes ? name : `"${name}"`);
  if (attribute === 'class')
    return toEntries(listUnusedNames('class', files, whole), from, 'class', quote);
  if (attribute === 'id')
    return toEntries(listUnusedNames('id', files, whole), from, 'constant', quote);
  if (isIdReference(attribute))
    return toEntries(findIds(files, file, offset), from, 'constant', quote);
  if (attribute === 'href' && (word === '' || word.startsWith('#')))
    return toEntries(
      findIds(files, file, offset).map((id) => `#${id}`),
      from,
      'constant',
      quote,
    );
  return [];
}

function toEntries(
  names: readonly string[],
  from: number,
  type: string,
  quote: (name: string) => string,
): MarkupCompletion[] {
  return names.map((name) => ({
    name,
    type,
    rank: `0 ${name}`,
    from,
    ...(quote(name) !== name && { insert: quote(name) }),
  }));
}

/** Classes or ids of the project, without those already in the attribute's value. */
export function listUnusedNames(
  kind: 'class' | 'id',
  files: MarkupProject,
  value: string,
): string[] {
  const existing = new Set(value.split(/\s+/));
  const names = new Set([...files.findNames(kind)].map(({ name }) => name));
  return [...names].filter((name) => !existing.has(name)).toSorted();
}

/** Ids of elements: those of this page, or in components those of the whole project. */
function findIds(files: MarkupProject, file: MarkupFile, offset: number): string[] {
  const isInScope = ({ file: of }: { file: MarkupFile }) => file.kind !== 'html' || of === file;
  const found = [...files.findNames('id')].filter(
    (name) =>
      name.isDefinition &&
      isInScope(name) &&
      !(name.file === file && name.from <= offset && offset <= name.to),
  );
  return [...new Set(found.map(({ name }) => name))].toSorted();
}

/** Components imported by a script of the file, as tags. */
function findComponents({ kind, text, regions }: MarkupFile, offset: number): MarkupCompletion[] {
  if (kind === 'html') return [];
  const scripts = regions.filter((region) => region.kind === 'script');
  const code = scripts.map(({ from, to }) => text.slice(from, to)).join('\n');
  const from = offset - (/[\w.-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
  return [
    ...code.matchAll(/\bimport\s+(?:type\s+)?([A-Z]\w*)\s*(?:,[^;]*?)?from\s*["']([^"']+)/g),
  ].map(([, name = '', source = '']) => ({
    name,
    type: 'class',
    rank: `0 ${name}`,
    detail: source,
    from,
  }));
}

/** True if the word at the offset is the first in its line and not inside of a tag. */
function startsLine(file: MarkupFile, offset: number): boolean {
  const before = file.markup.document.getText().slice(0, offset);
  const isInTag = before.lastIndexOf('<') > before.lastIndexOf('>');
  return !isInTag && /(?:^|\n)[ \t]*[\w-]*$/.test(textBefore(file, offset));
}

function textBefore({ text }: MarkupFile, offset: number): string {
  return text.slice(Math.max(0, offset - 200), offset);
}
