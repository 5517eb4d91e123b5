import type { ColumnPath } from './column-path.ts';
import type { EmbedPlan, Value } from './read-plan.ts';
import { unknownColumn } from './rest-error.ts';
import type { Relation, Schema } from './schema.ts';

/** A relation whose names are being looked up. */
export interface Planning {
  schema: Schema;
  relation: Relation;
  /** What PostgreSQL's own messages would call it: `books`, embedded `books_1`. */
  label: string;
  depth: number;
  embeds: ReadonlyMap<string, EmbedPlan>;
  /** Set when a computed column or relationship is met. */
  needsRow: boolean;
}

export function planValue(planning: Planning, path: ColumnPath): Value {
  const { relation, label } = planning;
  const column = relation.columns.get(path.column) ?? relation.computed.get(path.column);
  if (!column) throw unknownColumn(label, path.column);
  if (column.functionSql) planning.needsRow = true;
  return { column, steps: path.steps };
}
