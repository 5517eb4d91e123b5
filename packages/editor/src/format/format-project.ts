import { diff } from '@codemirror/merge';
import type { Options } from 'prettier';
import { format } from 'prettier/standalone';
import type { TextEdit } from '../typescript/messages.ts';
import { loadParser } from './languages.ts';
import type { Formatted, FormatPlace } from './messages.ts';
import { readOptions } from './own-options.ts';

/** What differs is found letter by letter within these bounds, and else in larger pieces. */
const fineDiff = { scanLimit: 1_000, timeout: 500 };

/** The files of one project, and how they would stand if Prettier had written them. */
export class FormatProject {
  readonly #files = new Map<string, string>();

  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) this.#files.delete(path);
    for (const [path, text] of changed) this.#files.set(path, text);
  }

  async format({ path, stretch }: FormatPlace): Promise<Formatted> {
    const text = this.#files.get(path);
    const parser = await loadParser(path);
    if (text === undefined || !parser) return { status: 'unknown' };
    const write = await this.#findWriter(path, parser);
    if (!write) return { status: 'config' };
    const written = await write(text);
    if (typeof written === 'object') return written;
    const edits = listEdits(text, written);
    if (!stretch) return { status: 'formatted', edits };
    const within = edits.filter((edit) => touches(text, edit, stretch));
    // Half of a pair of brackets would be another text.
    const isWhole = (await write(applyEdits(text, within))) === written;
    return isWhole ? { status: 'formatted', edits: within } : { status: 'part' };
  }

  /** Formats texts as the file's, or says why not; undefined where its options cannot be read. */
  async #findWriter(path: string, parser: Options) {
    const own = await readOptions(this.#files, path);
    if (!own) return undefined;
    const plain = { ...parser, endOfLine: 'lf' } as const;
    return async (
      text: string,
    ): Promise<string | Extract<Formatted, { status: 'broken' | 'config' }>> => {
      try {
        return await format(text, { ...own, ...plain });
      } catch (error) {
        if (isBrokenGrammar(error)) return { status: 'broken' };
        if (!isOptionsError(error)) throw error;
      }
      // What is nested deeper than anybody reads fails without them, too.
      const isDeep = await format(text, plain).then(() => false, isTooDeep);
      return { status: isDeep ? 'broken' : 'config' };
    };
  }
}

function listEdits(before: string, after: string): TextEdit[] {
  return diff(before, after, fineDiff).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }));
}

/** True for what changes lines that the stretch is in. */
function touches(text: string, { from, to }: TextEdit, stretch: { from: number; to: number }) {
  const start = text.lastIndexOf('\n', stretch.from - 1) + 1;
  const end = text.indexOf('\n', stretch.to);
  return to >= start && (end === -1 || from <= end);
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
    text,
  );
}

/** Each parser has an error of its own, with the place in it. */
function isBrokenGrammar(error: unknown): boolean {
  return error instanceof Error && ('loc' in error || 'position' in error || 'pos' in error);
}

/** Some are looked over, and others lead to a mistake about numbers. */
function isOptionsError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && /^Invalid|ConfigError/.test(`${error.message}${error.name}`);
}

function isTooDeep(error: unknown): true {
  if (error instanceof RangeError) return true;
  throw error;
}
