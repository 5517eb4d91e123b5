import type { CompletionItem } from 'vscode-css-languageservice';
import type { At, Described } from '../typescript/messages.ts';
import { describeItem } from './entries.ts';
import { completeMarkup } from './markup-completions.ts';
import type { MarkupEntry, MarkupList } from './messages.ts';
import type { ReadFile } from './read-file.ts';
import { completeInScript } from './script-completions.ts';
import type { Known } from './services.ts';
import { completeStyle, type Completed } from './style-completions.ts';

/** Completes, and remembers what it offered last, so that it can say more of one of them. */
export class Completions {
  readonly #known: Known;
  #last = new Map<string, CompletionItem>();

  constructor(known: Known) {
    this.#known = known;
  }

  /** What can stand at a place of the project's markup, styles, or scripts as far as they name these. */
  async list({ path, offset }: At): Promise<MarkupList | null> {
    const file = this.#known.files.find(path);
    if (!file) return null;
    const { entries, items, from: begun } = await this.#complete(file, offset);
    this.#last = new Map(items.map((item) => [item.label, item]));
    const from = begun ?? startOf(entries, file, offset);
    const word = file.text.slice(from, offset);
    // A list has one beginning, and what does not fit would only be carried to the page.
    const fitting = entries.filter(
      (entry) => (entry.from ?? from) === from && hasLetters(entry.name, word),
    );
    return fitting.length === 0 ? null : { from, entries: fitting };
  }

  /** What is said of one of the completions that were listed last. */
  describe(name: string): Described | null {
    const item = this.#last.get(name);
    return item ? describeItem(item) : null;
  }

  async #complete(file: ReadFile, offset: number): Promise<Completed> {
    const known = this.#known;
    if (file.kind === 'script')
      return { entries: await completeInScript(known, file, offset), items: [] };
    const style = file.styleAt(offset);
    if (style) return completeStyle(known, file, style, offset);
    const isElsewhere = file.regionAt(offset) !== undefined;
    return file.isMarkup && !isElsewhere
      ? completeMarkup(known, file, offset)
      : { entries: [], items: [] };
  }
}

/** Where most of them begin, else the word. */
function startOf(entries: readonly MarkupEntry[], { text }: ReadFile, offset: number): number {
  const counts = new Map<number, number>();
  for (const { from } of entries)
    if (from !== undefined) counts.set(from, (counts.get(from) ?? 0) + 1);
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  const word = /[\w-]*$/.exec(text.slice(Math.max(0, offset - 100), offset))?.[0] ?? '';
  return most?.[0] ?? offset - word.length;
}

/** True where the letters stand in the name in their order: "bgc" in "background-color". */
function hasLetters(name: string, letters: string): boolean {
  const lower = name.toLowerCase();
  let at = 0;
  for (const letter of letters.toLowerCase()) {
    at = lower.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
