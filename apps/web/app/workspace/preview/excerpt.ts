import { squiggleLength } from '@vitrine/editor/squiggle-length';
import type { SourceLocation } from '@vitrine/sandbox/host';

/** A line of source code. `mark` is the part with the error; "" on the lines around it. */
export interface ExcerptLine {
  readonly number: number;
  readonly before: string;
  readonly highlight: string;
  readonly after: string;
}

const linesAround = 2;
/** Characters shown of a longer line, around the error. */
const maxLength = 120;

/** Lines around a location, without their common indentation. Empty if the location is unknown. */
export function extractExcerpt(
  text: string,
  { line, column }: Pick<SourceLocation, 'line' | 'column'>,
): readonly ExcerptLine[] {
  const lines = text.split('\n');
  if (line < 1 || line > lines.length) return [];
  const first = Math.max(1, line - linesAround);
  const shown = lines.slice(first - 1, line + linesAround).map((each) => each.trimEnd());
  const indent = sharedIndent(shown);
  const start = Math.max(indent, column > maxLength ? column - maxLength / 2 : 0);
  const cut = (each: string) => each.slice(start, start + maxLength).replaceAll('\t', '  ');
  return shown.map((each, index) => {
    const number = first + index;
    if (number !== line) return { number, before: cut(each), highlight: '', after: '' };
    const at = Math.min(Math.max(column - 1, start), each.length);
    const found = each.slice(at, Math.min(at + squiggleLength(each, at), start + maxLength));
    const rest = each.slice(at + found.length, start + maxLength);
    return {
      number,
      before: cut(each.slice(0, at)),
      highlight: found === '' ? ' ' : found,
      after: rest,
    };
  });
}

function sharedIndent(lines: readonly string[]): number {
  const full = lines.filter((line) => line !== '');
  return full.length === 0 ? 0 : Math.min(...full.map((line) => line.search(/\S/)));
}
