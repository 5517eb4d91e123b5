import type { CompletionItem } from 'vscode-css-languageservice';
import type { TextDocument } from 'vscode-html-languageservice';
import type { Documentation } from '../typescript/messages.ts';
import type { MarkupCompletion } from './messages.ts';

/** Completion types by CompletionItemKind: https://microsoft.github.io/language-server-protocol */
const typesByKind: Readonly<Record<number, string>> = {
  2: 'method',
  3: 'function',
  6: 'variable',
  7: 'class',
  9: 'namespace',
  10: 'property',
  11: 'text',
  12: 'constant',
  14: 'keyword',
  15: 'text',
  16: 'constant',
  17: 'text',
  19: 'namespace',
  21: 'constant',
};

/** Converts a language service's completion item. */
export function toMarkupEntry(item: CompletionItem, document: TextDocument): MarkupCompletion {
  const { label, kind = 0, sortText = label, command, tags } = item;
  const { insert, ...span } = readEdit(item, document);
  return {
    name: label,
    type: typesByKind[kind] ?? 'text',
    rank: sortText,
    ...span,
    ...(insert !== label && { insert }),
    ...(item.insertTextFormat === 2 && { isTemplate: true }),
    ...(command && { isFollowed: true }),
    ...(tags?.includes(1) === true && { isDeprecated: true }),
  };
}

/** The inserted text and replaced range. Existing quotes are kept. */
function readEdit({ label, textEdit, insertText }: CompletionItem, document: TextDocument) {
  const insert = textEdit?.newText ?? insertText ?? label;
  if (!textEdit) return { insert };
  const { start, end } = 'range' in textEdit ? textEdit.range : textEdit.replace;
  const [from, to] = [document.offsetAt(start), document.offsetAt(end)];
  const hasQuotes =
    /^(["']).*\1$/.test(insert) && /^(["']).*\1$/.test(document.getText({ start, end }));
  return hasQuotes
    ? { insert: insert.slice(1, -1), from: from + 1, to: to - 1 }
    : { insert, from, to };
}

/** The documentation of a completion item, or null if it has none. */
export function findItemDocumentation({
  label,
  detail,
  documentation,
}: CompletionItem): Documentation | null {
  const text = typeof documentation === 'string' ? documentation : (documentation?.value ?? '');
  return text === '' && detail === undefined ? null : { code: detail ?? label, text };
}

/**
 * A snippet, ranked after the language's own completions.
 * @param insert Template in the syntax of the Language Server Protocol.
 */
export function createSnippet(name: string, detail: string, insert: string): MarkupCompletion {
  return { name, type: 'snippet', rank: `x ${name}`, detail, insert, isTemplate: true };
}
