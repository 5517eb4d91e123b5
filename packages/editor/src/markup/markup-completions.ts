import type { HtmlAttributeValueContext, TextDocument } from 'vscode-html-languageservice';
import { toEntry } from './entries.ts';
import { markupSnippets } from './markup-snippets.ts';
import type { MarkupEntry } from './messages.ts';
import { namesIds } from './names-in-text.ts';
import { resolveReference, type ProjectFiles } from './project-files.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';
import type { Completed } from './style-completions.ts';

/** Completes markup: tags, attributes and values, and the project's names and components. */
export async function completeMarkup(
  context: Known,
  file: ReadFile,
  offset: number,
): Promise<Completed> {
  const service = context.markupOf(file);
  const { document, tree } = file.markup;
  const values: HtmlAttributeValueContext[] = [];
  service.setCompletionParticipants([{ onHtmlAttributeValue: (value) => values.push(value) }]);
  const position = document.positionAt(offset);
  const documentContext = { resolveReference };
  const found = await service.doComplete2(document, position, tree, documentContext);
  const [value] = values;
  const items = found.items.filter(
    ({ label }) => !label.startsWith('&') || /&\w*$/.test(textBefore(file, offset)),
  );
  const serviceEntries = items.map((item) => toEntry(item, document));
  const nameEntries = value ? completeNames(context.files, file, value, document, offset) : [];
  const snippetEntries = startsLine(file, offset) ? markupSnippets(file.kind) : [];
  const componentEntries = /<[\w.-]*$/.test(textBefore(file, offset))
    ? findComponents(file, offset)
    : [];
  return {
    entries: [...componentEntries, ...nameEntries, ...serviceEntries, ...snippetEntries],
    items,
  };
}

function completeNames(
  files: ProjectFiles,
  file: ReadFile,
  { attribute, value, range }: HtmlAttributeValueContext,
  document: TextDocument,
  offset: number,
): MarkupEntry[] {
  const word = /[^\s"'=]*$/.exec(value)?.[0] ?? '';
  const from = offset - word.length;
  const hasQuotes = /^["']/.test(document.getText(range));
  const whole = document.getText(range).replace(/["']/g, '');
  const quote = (name: string) => (hasQuotes ? name : `"${name}"`);
  if (attribute === 'class') return toEntries(known('class', files, whole), from, 'class', quote);
  if (attribute === 'id') return toEntries(known('id', files, whole), from, 'constant', quote);
  if (namesIds(attribute)) return toEntries(findIds(files, file, offset), from, 'constant', quote);
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
): MarkupEntry[] {
  return names.map((name) => ({
    name,
    type,
    rank: `0 ${name}`,
    from,
    ...(quote(name) !== name && { insert: quote(name) }),
  }));
}

/** Classes or ids of the project, without those already in the attribute's value. */
export function known(kind: 'class' | 'id', files: ProjectFiles, value: string): string[] {
  const existing = new Set(value.split(/\s+/));
  const names = new Set([...files.names(kind)].map(({ name }) => name));
  return [...names].filter((name) => !existing.has(name)).toSorted();
}

/** Ids of elements: those of this page, or in components those of the whole project. */
function findIds(files: ProjectFiles, file: ReadFile, offset: number): string[] {
  const isInScope = ({ file: of }: { file: ReadFile }) => file.kind !== 'html' || of === file;
  const found = [...files.names('id')].filter(
    (name) =>
      name.isSource &&
      isInScope(name) &&
      !(name.file === file && name.from <= offset && offset <= name.to),
  );
  return [...new Set(found.map(({ name }) => name))].toSorted();
}

/** Components imported by a script of the file, as tags. */
function findComponents({ kind, text, regions }: ReadFile, offset: number): MarkupEntry[] {
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
function startsLine(file: ReadFile, offset: number): boolean {
  const before = file.markup.document.getText().slice(0, offset);
  const isInTag = before.lastIndexOf('<') > before.lastIndexOf('>');
  return !isInTag && /(?:^|\n)[ \t]*[\w-]*$/.test(textBefore(file, offset));
}

function textBefore({ text }: ReadFile, offset: number): string {
  return text.slice(Math.max(0, offset - 200), offset);
}
