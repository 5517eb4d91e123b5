import {
  acceptToken,
  acceptPattern,
  createParseError,
  readName,
  type TextCursor,
} from './text-cursor.ts';

/** A column, or a path inside a JSON column: `data->author->>name`. */
export interface ColumnPath {
  column: string;
  steps: JsonStep[];
}

export interface JsonStep {
  /** `->` yields JSON, `->>` yields text. */
  arrow: '->' | '->>';
  /** Name of a member, or index of an element. */
  step: string | number;
}

export function readColumnPath(cursor: TextCursor): ColumnPath {
  const column = readName(cursor, 'a column');
  const steps: JsonStep[] = [];
  for (;;) {
    const arrow = acceptToken(cursor, '->>') ? '->>' : acceptToken(cursor, '->') ? '->' : undefined;
    if (!arrow) return { column, steps };
    if (steps.at(-1)?.arrow === '->>')
      throw createParseError(cursor, 'nothing after ->>, which gives text');
    steps.push({ arrow, step: parseStep(cursor) });
  }
}

function parseStep(cursor: TextCursor): string | number {
  const index = acceptPattern(cursor, /-?\d{1,9}(?![\p{L}\p{N}_$ -])/uy);
  return index === undefined ? readName(cursor, 'a key or an index') : Number(index);
}

/** Default name of a value in the response: `data->a->0` is named `a`. */
export function getPathName(path: ColumnPath): string {
  const lastKey = path.steps.findLast(({ step }) => typeof step === 'string')?.step;
  return lastKey === undefined ? path.column : String(lastKey);
}
