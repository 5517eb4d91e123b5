import type { ColumnPath } from '../request/column-path.ts';
import type { EmbedPlan, Value } from './read-plan.ts';
import { createUnknownColumnError } from '../rest-error.ts';
import type { Relation, Schema } from '../schema/schema.ts';

/** State while resolving the names of a relation. */
export interface PlanningScope {
  schema: Schema;
  relation: Relation;
  /** Alias of the relation in PostgREST's error messages: `books`, embedded `books_1`. */
  label: string;
  depth: number;
  embeds: ReadonlyMap<string, EmbedPlan>;
  /** Set when a computed column or relationship is used. */
  needsRow: boolean;
}

export function planValue(planning: PlanningScope, path: ColumnPath): Value {
  const { relation, label } = planning;
  const column = relation.columns.get(path.column) ?? relation.computed.get(path.column);
  if (!column) throw createUnknownColumnError(label, path.column);
  if (column.functionSql) planning.needsRow = true;
  return { column, steps: path.steps };
}
