import type { MarkupEntry } from './messages.ts';
import type { ProjectFiles } from './project-files.ts';
import { resolveReference } from './project-files.ts';
import type { ReadFile, Style } from './read-file.ts';
import type { Known } from './services.ts';
import { toEntry } from './entries.ts';
import { styleSnippets } from './style-snippets.ts';
import { TextDocument, type CompletionItem } from 'vscode-css-languageservice';

export interface Completed {
  readonly entries: readonly MarkupEntry[];
  /** Where the word begins, where that is not for most of them to say. */
  readonly from?: number;
  /** What the language service gave, for describing them. */
  readonly items: readonly CompletionItem[];
}

/** What can stand here in a stylesheet: its language's words, and the project's names. */
export async function completeStyle(
  known: Known,
  file: ReadFile,
  style: Style,
  offset: number,
): Promise<Completed> {
  const place = readPlace(style.document.getText().slice(0, offset), offset);
  const items = await askService(known, style, offset);
  const own = new Set(items.map(({ label }) => label));
  const isInAttribute = file.regionAt(offset)?.kind === 'declarations';
  const snippets = isInAttribute ? [] : styleSnippets(place.kind);
  const names = [...selectors(known.files, place), ...properties(known.files, file, place)];
  const added = names.filter(({ name }) => !own.has(name));
  const entries = items.map((item) => toEntry(item, style.document));
  const from = place.kind === 'selector' ? { from: place.from - 1 } : {};
  return { entries: [...added, ...entries, ...snippets], items, ...from };
}

/** A variable that is half written has no completions yet; its mark alone has all of them. */
async function askService(
  { styles }: Known,
  { dialect, document, sheet }: Style,
  offset: number,
): Promise<readonly CompletionItem[]> {
  const service = styles[dialect];
  const context = { resolveReference };
  const position = document.positionAt(offset);
  const found = await service.doComplete2(document, position, sheet, context);
  const text = document.getText();
  const begun = /(?<=[$@])[\w-]+$/.exec(text.slice(Math.max(0, offset - 200), offset));
  if (found.items.length > 0 || !begun || dialect === 'css') return found.items;
  const at = offset - begun[0].length;
  const cut = TextDocument.create(document.uri, dialect, 0, text.slice(0, at) + text.slice(offset));
  const parsed = service.parseStylesheet(cut);
  return (await service.doComplete2(cut, cut.positionAt(at), parsed, context)).items;
}

interface StylePlace {
  readonly kind: 'selector' | 'variable' | 'value' | 'property' | 'top' | 'other';
  /** "." or "#", in a selector. */
  readonly mark: string;
  /** Where the word begins. */
  readonly from: number;
}

/** What is being written, by the text before it. */
function readPlace(before: string, offset: number): StylePlace {
  const plain = before.slice(-5_000).replace(/\/\*[\s\S]*?\*\//g, ' ');
  const part = /[^;{}]*$/.exec(plain)?.[0] ?? '';
  const word = /[\w\u0080-\uffff-]*$/.exec(part)?.[0] ?? '';
  const from = offset - word.length;
  const mark = part.at(-1 - word.length) ?? '';
  if (/var\(\s*[\w-]*$/.test(part)) return { kind: 'variable', mark, from };
  const isInBlock = plain.lastIndexOf('{') > plain.lastIndexOf('}') || depthOf(plain) > 0;
  const isValue = isInBlock && /^\s*[\w$@-]+\s*:/.test(part);
  if (!isValue && (mark === '.' || mark === '#') && !/^\s*@/.test(part))
    return { kind: 'selector', mark, from };
  if (isValue) return { kind: /["'(]/.test(part) ? 'other' : 'value', mark, from };
  if (part.trim() !== word) return { kind: 'other', mark, from };
  return { kind: isInBlock ? 'property' : 'top', mark, from };
}

function depthOf(text: string): number {
  return text.split('{').length - text.split('}').length;
}

/** Names that are no identifier could not be written here as they are. */
function selectors(files: ProjectFiles, { kind, mark, from }: StylePlace): MarkupEntry[] {
  if (kind !== 'selector') return [];
  const names = new Set([...files.names(mark === '.' ? 'class' : 'id')].map(({ name }) => name));
  return [...names]
    .filter((name) => /^-?[_a-zA-Z\u0080-\uffff][\w\u0080-\uffff-]*$/.test(name))
    .toSorted()
    .map((name) => ({ name: mark + name, type: 'class', rank: `0 ${name}`, from: from - 1 }));
}

/** Custom properties of the whole project, where one is named or a value stands. */
function properties(
  files: ProjectFiles,
  file: ReadFile,
  { kind, from }: StylePlace,
): MarkupEntry[] {
  if (kind !== 'variable' && kind !== 'value') return [];
  const found = new Map<string, MarkupEntry>();
  for (const { name, value = '', isSource, file: of } of files.names('property')) {
    if (!isSource || found.has(name)) continue;
    const detail = of === file ? value : `${value} ${of.path}`.trim();
    found.set(name, {
      name: kind === 'value' ? `var(${name})` : name,
      type: 'variable',
      rank: `e ${name}`,
      detail: detail.slice(0, 60),
      from,
    });
  }
  return [...found.values()];
}
