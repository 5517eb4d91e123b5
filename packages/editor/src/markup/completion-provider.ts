import type { CompletionItem } from 'vscode-css-languageservice';
import type { FilePosition, Documentation } from '../typescript/messages.ts';
import { findItemDocumentation } from './completion-entries.ts';
import { completeInMarkup } from './markup-completions.ts';
import type { MarkupCompletion, MarkupCompletionList } from './messages.ts';
import type { MarkupFile } from './markup-file.ts';
import { completeInScript } from './script-completions.ts';
import type { MarkupContext } from './services.ts';
import { completeStyle, type MarkupCompletionResult } from './style-completions.ts';

/**
 * Completes markup, styles, and class names in scripts, and finds the documentation of
 * the entries of the last list.
 */
export class MarkupCompletionProvider {
  readonly #context: MarkupContext;
  #lastServiceItems = new Map<string, CompletionItem>();

  constructor(context: MarkupContext) {
    this.#context = context;
  }

  /** Completes at a position in markup or styles. In scripts only class names. */
  complete({ path, offset }: FilePosition): MarkupCompletionList | null {
    const file = this.#context.files.find(path);
    if (!file) return null;
    const { entries, serviceItems, from: commonFrom } = this.#completeAt(file, offset);
    this.#lastServiceItems = new Map(serviceItems.map((item) => [item.label, item]));
    const from = commonFrom ?? findReplacementStart(entries, file, offset);
    const word = file.text.slice(from, offset);
    // All entries of a list start at one offset, and entries that do not match the word are not
    // worth sending.
    const matching = entries.filter(
      (entry) => (entry.from ?? from) === from && isFuzzyMatch(entry.name, word),
    );
    return matching.length === 0 ? null : { from, entries: matching };
  }

  /** Documentation of an entry of the last list. */
  findDocumentation(name: string): Documentation | null {
    const item = this.#lastServiceItems.get(name);
    return item ? findItemDocumentation(item) : null;
  }

  #completeAt(file: MarkupFile, offset: number): MarkupCompletionResult {
    const context = this.#context;
    if (file.kind === 'script')
      return { entries: completeInScript(context, file, offset), serviceItems: [] };
    const style = file.findStyleAt(offset);
    if (style) return completeStyle(context, file, style, offset);
    const isEmbedded = file.findRegionAt(offset) !== undefined;
    return file.isMarkup && !isEmbedded
      ? completeInMarkup(context, file, offset)
      : { entries: [], serviceItems: [] };
  }
}

/** The most common start of the entries; without one, the start of the word at the offset. */
function findReplacementStart(
  entries: readonly MarkupCompletion[],
  { text }: MarkupFile,
  offset: number,
): number {
  const counts = new Map<number, number>();
  for (const { from } of entries)
    if (from !== undefined) counts.set(from, (counts.get(from) ?? 0) + 1);
  const [mostCommon] = [...counts].toSorted((a, b) => b[1] - a[1]);
  const word = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0] ?? '';
  return mostCommon?.[0] ?? offset - word.length;
}

/** True if the name contains the letters in order: "bgc" in "background-color". */
function isFuzzyMatch(name: string, query: string): boolean {
  const lower = name.toLowerCase();
  let at = 0;
  for (const character of query.toLowerCase()) {
    at = lower.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
