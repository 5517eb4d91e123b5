import type { HtmlAttributeValueContext, TextDocument } from 'vscode-html-languageservice';
import { toEntry } from './entries.ts';
import { markupSnippets } from './markup-snippets.ts';
import type { MarkupEntry } from './messages.ts';
import { namesIds } from './names-in-text.ts';
import { resolveReference, type ProjectFiles } from './project-files.ts';
import type { ReadFile } from './read-file.ts';
import type { Known } from './services.ts';
import type { Completed } from './style-completions.ts';

/** What can stand here in markup: tags, attributes, values, and the project's names and paths. */
export async function completeMarkup(
  known: Known,
  file: ReadFile,
  offset: number,
): Promise<Completed> {
  const service = known.markupOf(file);
  const { document, tree } = file.markup;
  const values: HtmlAttributeValueContext[] = [];
  service.setCompletionParticipants([{ onHtmlAttributeValue: (value) => values.push(value) }]);
  const position = document.positionAt(offset);
  const context = { resolveReference };
  const found = await service.doComplete2(document, position, tree, context);
  const [value] = values;
  const items = found.items.filter(
    ({ label }) => !label.startsWith('&') || /&\w*$/.test(textBefore(file, offset)),
  );
  const own = items.map((item) => toEntry(item, document));
  const names = value ? namesFor(known.files, file, value, document, offset) : [];
  const others = beginsLine(file, offset) ? markupSnippets(file.kind) : [];
  const components = /<[\w.-]*$/.test(textBefore(file, offset)) ? componentsOf(file, offset) : [];
  return { entries: [...components, ...names, ...own, ...others], items };
}

function namesFor(
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
  const write = (name: string) => (hasQuotes ? name : `"${name}"`);
  if (attribute === 'class') return toEntries(known('class', files, whole), from, 'class', write);
  if (attribute === 'id') return toEntries(known('id', files, whole), from, 'constant', write);
  if (namesIds(attribute)) return toEntries(idsOf(files, file, offset), from, 'constant', write);
  if (attribute === 'href' && (word === '' || word.startsWith('#')))
    return toEntries(
      idsOf(files, file, offset).map((id) => `#${id}`),
      from,
      'constant',
      write,
    );
  return [];
}

function toEntries(
  names: readonly string[],
  from: number,
  type: string,
  write: (name: string) => string,
): MarkupEntry[] {
  return names.map((name) => ({
    name,
    type,
    rank: `0 ${name}`,
    from,
    ...(write(name) !== name && { insert: write(name) }),
  }));
}

/** Every class or id of the project but those that stand in this value. */
export function known(kind: 'class' | 'id', files: ProjectFiles, value: string): string[] {
  const written = new Set(value.split(/\s+/));
  const names = new Set([...files.names(kind)].map(({ name }) => name));
  return [...names].filter((name) => !written.has(name)).toSorted();
}

/** Ids of elements: of this page, or where pages are made of components, of all of them. */
function idsOf(files: ProjectFiles, file: ReadFile, offset: number): string[] {
  const isNear = ({ file: of }: { file: ReadFile }) => file.kind !== 'html' || of === file;
  const found = [...files.names('id')].filter(
    (name) =>
      name.isSource &&
      isNear(name) &&
      !(name.file === file && name.from <= offset && offset <= name.to),
  );
  return [...new Set(found.map(({ name }) => name))].toSorted();
}

/** Components that a script of this file imports are tags here. */
function componentsOf({ kind, text, regions }: ReadFile, offset: number): MarkupEntry[] {
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

/** Where a word between tags is the first of its line, and not one of a text. */
function beginsLine(file: ReadFile, offset: number): boolean {
  const before = file.markup.document.getText().slice(0, offset);
  const isInTag = before.lastIndexOf('<') > before.lastIndexOf('>');
  return !isInTag && /(?:^|\n)[ \t]*[\w-]*$/.test(textBefore(file, offset));
}

function textBefore({ text }: ReadFile, offset: number): string {
  return text.slice(Math.max(0, offset - 200), offset);
}
