import type { MarkupCompletion } from './messages.ts';
import type { MarkupProject } from './markup-project.ts';
import type { MarkupFile, ParsedStyle } from './markup-file.ts';
import type { MarkupContext } from './services.ts';
import { toMarkupEntry } from './completion-entries.ts';
import { styleSnippets } from './style-snippets.ts';
import { TextDocument, type CompletionItem } from 'vscode-css-languageservice';

export interface MarkupCompletionResult {
  readonly entries: readonly MarkupCompletion[];
  /** Start of the completed word, if it is not that of most entries. */
  readonly from?: number;
  /** The language service's items, for documentation. */
  readonly serviceItems: readonly CompletionItem[];
}

/** Completes a stylesheet: the language's properties and values, and the project's names. */
export function completeStyle(
  context: MarkupContext,
  file: MarkupFile,
  style: ParsedStyle,
  offset: number,
): MarkupCompletionResult {
  const styleContext = findContext(style.document.getText().slice(0, offset), offset);
  const serviceItems = requestItems(context, style, offset);
  const serviceLabels = new Set(serviceItems.map(({ label }) => label));
  const isInAttribute = file.findRegionAt(offset)?.kind === 'declarations';
  const snippets = isInAttribute ? [] : styleSnippets(styleContext.kind);
  const names = [
    ...completeSelectors(context.files, styleContext),
    ...completeProperties(context.files, file, styleContext),
  ];
  const newNames = names.filter(({ name }) => !serviceLabels.has(name));
  const entries = serviceItems.map((item) => toMarkupEntry(item, style.document));
  const from = styleContext.kind === 'selector' ? { from: styleContext.from - 1 } : {};
  return { entries: [...newNames, ...entries, ...snippets], serviceItems, ...from };
}

/**
 * Requests completions from the language service. For a partly typed variable it has none, so the
 * sigil alone is completed instead.
 */
function requestItems(
  { styleServices }: MarkupContext,
  { dialect, document, sheet }: ParsedStyle,
  offset: number,
): readonly CompletionItem[] {
  const service = styleServices[dialect];
  const position = document.positionAt(offset);
  const found = service.doComplete(document, position, sheet);
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
  return service.doComplete(withoutWord, withoutWord.positionAt(at), parsed).items;
}

interface StyleContext {
  readonly kind: 'selector' | 'variable' | 'value' | 'property' | 'top' | 'other';
  /** "." or "#" in a selector. */
  readonly prefix: string;
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
  if (/var\(\s*[\w-]*$/.test(statement)) return { kind: 'variable', prefix, from };
  const isInBlock = plain.lastIndexOf('{') > plain.lastIndexOf('}') || braceDepth(plain) > 0;
  const isValue = isInBlock && /^\s*[\w$@-]+\s*:/.test(statement);
  if (!isValue && (prefix === '.' || prefix === '#') && !/^\s*@/.test(statement))
    return { kind: 'selector', prefix, from };
  if (isValue) return { kind: /["'(]/.test(statement) ? 'other' : 'value', prefix, from };
  if (statement.trim() !== word) return { kind: 'other', prefix, from };
  return { kind: isInBlock ? 'property' : 'top', prefix, from };
}

function braceDepth(text: string): number {
  return text.split('{').length - text.split('}').length;
}

/** Class and id selectors. Names that would need escaping are left out. */
function completeSelectors(
  files: MarkupProject,
  { kind, prefix, from }: StyleContext,
): MarkupCompletion[] {
  if (kind !== 'selector') return [];
  const names = new Set(
    [...files.findNames(prefix === '.' ? 'class' : 'id')].map(({ name }) => name),
  );
  return [...names]
    .filter((name) => /^-?[_a-zA-Z\u0080-\uffff][\w\u0080-\uffff-]*$/.test(name))
    .toSorted()
    .map((name) => ({ name: prefix + name, type: 'class', rank: `0 ${name}`, from: from - 1 }));
}

/** The project's custom properties, inside of `var()` or as a value. */
function completeProperties(
  files: MarkupProject,
  file: MarkupFile,
  { kind, from }: StyleContext,
): MarkupCompletion[] {
  if (kind !== 'variable' && kind !== 'value') return [];
  const found = new Map<string, MarkupCompletion>();
  for (const { name, value = '', isDefinition, file: of } of files.findNames('property')) {
    if (!isDefinition || found.has(name)) continue;
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
