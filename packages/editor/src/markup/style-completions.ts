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
  /** Start of the completed word, if it is not that of most entries. */
  readonly from?: number;
  /** The language service's items, for documentation. */
  readonly items: readonly CompletionItem[];
}

/** Completes a stylesheet: the language's properties and values, and the project's names. */
export async function completeStyle(
  context: Known,
  file: ReadFile,
  style: Style,
  offset: number,
): Promise<Completed> {
  const styleContext = findContext(style.document.getText().slice(0, offset), offset);
  const items = await requestItems(context, style, offset);
  const serviceLabels = new Set(items.map(({ label }) => label));
  const isInAttribute = file.regionAt(offset)?.kind === 'declarations';
  const snippets = isInAttribute ? [] : styleSnippets(styleContext.kind);
  const names = [
    ...completeSelectors(context.files, styleContext),
    ...completeProperties(context.files, file, styleContext),
  ];
  const newNames = names.filter(({ name }) => !serviceLabels.has(name));
  const entries = items.map((item) => toEntry(item, style.document));
  const from = styleContext.kind === 'selector' ? { from: styleContext.from - 1 } : {};
  return { entries: [...newNames, ...entries, ...snippets], items, ...from };
}

/**
 * Requests completions from the language service. For a partly typed variable it has none, so the
 * sigil alone is completed instead.
 */
async function requestItems(
  { styles }: Known,
  { dialect, document, sheet }: Style,
  offset: number,
): Promise<readonly CompletionItem[]> {
  const service = styles[dialect];
  const context = { resolveReference };
  const position = document.positionAt(offset);
  const found = await service.doComplete2(document, position, sheet, context);
  const text = document.getText();
  const partialVariable = /(?<=[$@])[\w-]+$/.exec(text.slice(Math.max(0, offset - 200), offset));
  if (found.items.length > 0 || !partialVariable || dialect === 'css') return found.items;
  const at = offset - partialVariable[0].length;
  const withoutWord = TextDocument.create(
    document.uri,
    dialect,
    0,
    text.slice(0, at) + text.slice(offset),
  );
  const parsed = service.parseStylesheet(withoutWord);
  return (await service.doComplete2(withoutWord, withoutWord.positionAt(at), parsed, context))
    .items;
}

interface StyleContext {
  readonly kind: 'selector' | 'variable' | 'value' | 'property' | 'top' | 'other';
  /** "." or "#" in a selector. */
  readonly mark: string;
  /** Offset of the word. */
  readonly from: number;
}

/** Finds out what is being typed from the text before it. */
function findContext(before: string, offset: number): StyleContext {
  const plain = before.slice(-5_000).replace(/\/\*[\s\S]*?\*\//g, ' ');
  const statement = /[^;{}]*$/.exec(plain)?.[0] ?? '';
  const word = /[\w\u0080-\uffff-]*$/.exec(statement)?.[0] ?? '';
  const from = offset - word.length;
  const prefix = statement.at(-1 - word.length) ?? '';
  if (/var\(\s*[\w-]*$/.test(statement)) return { kind: 'variable', mark: prefix, from };
  const isInBlock = plain.lastIndexOf('{') > plain.lastIndexOf('}') || braceDepth(plain) > 0;
  const isValue = isInBlock && /^\s*[\w$@-]+\s*:/.test(statement);
  if (!isValue && (prefix === '.' || prefix === '#') && !/^\s*@/.test(statement))
    return { kind: 'selector', mark: prefix, from };
  if (isValue) return { kind: /["'(]/.test(statement) ? 'other' : 'value', mark: prefix, from };
  if (statement.trim() !== word) return { kind: 'other', mark: prefix, from };
  return { kind: isInBlock ? 'property' : 'top', mark: prefix, from };
}

function braceDepth(text: string): number {
  return text.split('{').length - text.split('}').length;
}

/** Class and id selectors. Names that would need escaping are left out. */
function completeSelectors(
  files: ProjectFiles,
  { kind, mark: prefix, from }: StyleContext,
): MarkupEntry[] {
  if (kind !== 'selector') return [];
  const names = new Set([...files.names(prefix === '.' ? 'class' : 'id')].map(({ name }) => name));
  return [...names]
    .filter((name) => /^-?[_a-zA-Z\u0080-\uffff][\w\u0080-\uffff-]*$/.test(name))
    .toSorted()
    .map((name) => ({ name: prefix + name, type: 'class', rank: `0 ${name}`, from: from - 1 }));
}

/** The project's custom properties, inside of `var()` or as a value. */
function completeProperties(
  files: ProjectFiles,
  file: ReadFile,
  { kind, from }: StyleContext,
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
