import type { CompletionItem } from 'vscode-css-languageservice';
import type { TextDocument } from 'vscode-html-languageservice';
import type { Described } from '../typescript/messages.ts';
import type { MarkupEntry } from './messages.ts';

/** Those of the language services, by number: https://microsoft.github.io/language-server-protocol */
const kinds: Readonly<Record<number, string>> = {
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

/** A language service's completion, as the page has it. */
export function toEntry(item: CompletionItem, document: TextDocument): MarkupEntry {
  const { label, kind = 0, sortText = label, command, tags } = item;
  const { insert, ...span } = readEdit(item, document);
  return {
    name: label,
    type: kinds[kind] ?? 'text',
    rank: sortText,
    ...span,
    ...(insert !== label && { insert }),
    ...(item.insertTextFormat === 2 && { isTemplate: true }),
    ...(command && { isFollowed: true }),
    ...(tags?.includes(1) === true && { isDeprecated: true }),
  };
}

/** What is written, and where. Quotes that stand already are left where they are. */
function readEdit({ label, textEdit, insertText }: CompletionItem, document: TextDocument) {
  const insert = textEdit?.newText ?? insertText ?? label;
  if (!textEdit) return { insert };
  const { start, end } = 'range' in textEdit ? textEdit.range : textEdit.replace;
  const [from, to] = [document.offsetAt(start), document.offsetAt(end)];
  const quotes =
    /^(["']).*\1$/.test(insert) && /^(["']).*\1$/.test(document.getText({ start, end }));
  return quotes
    ? { insert: insert.slice(1, -1), from: from + 1, to: to - 1 }
    : { insert, from, to };
}

/** What a language service says of a completion; null where it says nothing. */
export function describeItem({ label, detail, documentation }: CompletionItem): Described | null {
  const text = typeof documentation === 'string' ? documentation : (documentation?.value ?? '');
  return text === '' && detail === undefined ? null : { code: detail ?? label, text };
}

/** A piece of code under a name, behind what the language has itself; `insert` is a template of the editor. */
export function snippet(name: string, detail: string, insert: string): MarkupEntry {
  return { name, type: 'snippet', rank: `x ${name}`, detail, insert, isTemplate: true };
}
