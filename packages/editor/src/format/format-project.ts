import { diff } from '@codemirror/merge';
import type { Options } from 'prettier';
import { format } from 'prettier/standalone';
import type { TextEdit } from '../typescript/messages.ts';
import { loadPrettierParser } from './prettier-parsers.ts';
import type { FormatResult, FormatTarget } from './messages.ts';
import { readPrettierOptions } from './prettier-options.ts';

/**
 * Limits for the character diff between the original and formatted text; beyond them edits are
 * coarser.
 */
const diffOptions = { scanLimit: 1_000, timeout: 500 };

/** The files of a project, formatted with Prettier. */
export class FormatProject {
  readonly #files = new Map<string, string>();

  changeFiles(changed: ReadonlyMap<string, string>, removed: readonly string[]): void {
    for (const path of removed) this.#files.delete(path);
    for (const [path, text] of changed) this.#files.set(path, text);
  }

  async format({ path, range }: FormatTarget): Promise<FormatResult> {
    const text = this.#files.get(path);
    const parser = await loadPrettierParser(path);
    if (text === undefined || !parser) return { status: 'unknown' };
    const formatText = await this.#createFormatter(path, parser);
    if (!formatText) return { status: 'config' };
    const formatted = await formatText(text);
    if (typeof formatted === 'object') return formatted;
    const edits = diffEdits(text, formatted);
    if (!range) return { status: 'formatted', edits };
    const within = edits.filter((edit) => touches(text, edit, range));
    // Formatting part of the file must lead to the same result, so that no half of a pair of
    // brackets is moved.
    const isWhole = (await formatText(applyEdits(text, within))) === formatted;
    return isWhole ? { status: 'formatted', edits: within } : { status: 'part' };
  }

  /**
   * Returns a function that formats a text with the file's options. Undefined if the options cannot
   * be parsed.
   */
  async #createFormatter(path: string, parser: Options) {
    const options = await readPrettierOptions(this.#files, path);
    if (!options) return undefined;
    const parserOptions = { ...parser, endOfLine: 'lf' } as const;
    return async (
      text: string,
    ): Promise<string | Extract<FormatResult, { status: 'broken' | 'config' }>> => {
      try {
        return await format(text, { ...options, ...parserOptions });
      } catch (error) {
        if (isSyntaxError(error)) return { status: 'broken' };
        if (!isOptionsError(error)) throw error;
      }
      // Text that nests too deeply fails without the options, too.
      const isDeep = await format(text, parserOptions).then(() => false, isTooDeep);
      return { status: isDeep ? 'broken' : 'config' };
    };
  }
}

function diffEdits(before: string, after: string): TextEdit[] {
  return diff(before, after, diffOptions).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }));
}

/** True if an edit changes one of the lines that a range touches. */
function touches(text: string, { from, to }: TextEdit, range: { from: number; to: number }) {
  const start = text.lastIndexOf('\n', range.from - 1) + 1;
  const end = text.indexOf('\n', range.to);
  return to >= start && (end === -1 || from <= end);
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight(
    (now, { from, to, insert }) => now.slice(0, from) + insert + now.slice(to),
    text,
  );
}

/** Prettier's parsers have different error classes, but all have a position. */
function isSyntaxError(error: unknown): boolean {
  return error instanceof Error && ('loc' in error || 'position' in error || 'pos' in error);
}

/** Prettier validates only some options; others lead to range errors. */
function isOptionsError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && /^Invalid|ConfigError/.test(`${error.message}${error.name}`);
}

function isTooDeep(error: unknown): true {
  if (error instanceof RangeError) return true;
  throw error;
}
