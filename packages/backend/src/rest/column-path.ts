import { accept, acceptPattern, failAt, readName, type TextCursor } from './text-cursor.ts';

/** A column, or a place inside a JSON column: `data->author->>name`. */
export interface ColumnPath {
  column: string;
  steps: JsonStep[];
}

export interface JsonStep {
  /** `->` keeps JSON, `->>` gives text. */
  arrow: '->' | '->>';
  /** A member's name, or an element's number. */
  step: string | number;
}

export function readColumnPath(cursor: TextCursor): ColumnPath {
  const column = readName(cursor, 'a column');
  const steps: JsonStep[] = [];
  for (;;) {
    const arrow = accept(cursor, '->>') ? '->>' : accept(cursor, '->') ? '->' : undefined;
    if (!arrow) return { column, steps };
    if (steps.at(-1)?.arrow === '->>') throw failAt(cursor, 'nothing after ->>, which gives text');
    steps.push({ arrow, step: readStep(cursor) });
  }
}

function readStep(cursor: TextCursor): string | number {
  const index = acceptPattern(cursor, /-?\d{1,9}(?![\p{L}\p{N}_$ -])/uy);
  return index === undefined ? readName(cursor, 'a key or an index') : Number(index);
}

/** The name a value has in the answer when it is given none: `data->a->0` is called `a`. */
export function nameOfPath(path: ColumnPath): string {
  const lastKey = path.steps.findLast(({ step }) => typeof step === 'string')?.step;
  return lastKey === undefined ? path.column : String(lastKey);
}
