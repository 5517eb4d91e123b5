import { planValue, type PlanningScope } from './planning.ts';
import type { Field, SpreadColumn } from './read-plan.ts';
import { RestError } from '../rest-error.ts';
import type { Relation } from '../schema/schema.ts';
import type { EmbedItem, ReadNode, SelectItem } from '../request/select-grammar.ts';

/** Plans a select list. With an aggregate in it, the rows are groups. */
export function planFields(
  planning: PlanningScope,
  { items }: ReadNode,
): { fields: Field[]; grouped: boolean } {
  const fields = items.flatMap((item) => planField(planning, item));
  const grouped = fields.some(isAggregated);
  if (grouped) checkAggregates(planning, fields);
  return {
    fields: grouped
      ? fields.flatMap((field) => expandAllColumns(planning.relation, field))
      : fields,
    grouped,
  };
}

function planField(planning: PlanningScope, item: SelectItem): Field[] {
  if (item.kind === 'all') return [item];
  if (item.kind === 'count') return [item];
  if (item.kind === 'embed') return planEmbedded(planning, item);
  const { path, name } = item;
  const isPlain = path.steps.length === 0 && !item.cast && !item.aggregate;
  // `comments(count)` counts rows, as always in PostgREST, unless there is such a column.
  if (isPlain && path.column === 'count' && !planning.relation.columns.has('count')) {
    return [{ kind: 'count', name }];
  }
  const field: Field = { kind: 'value', name, value: planValue(planning, path) };
  if (item.cast !== undefined) field.cast = item.cast;
  if (item.aggregate) field.aggregate = item.aggregate;
  return [field];
}

function planEmbedded(planning: PlanningScope, item: EmbedItem): Field[] {
  const embed = planning.embeds.get(item.name);
  if (!embed || embed.plan.fields.length === 0) return [];
  if (!item.spread) return [{ kind: 'embed', name: item.name, embed }];
  const columns = embed.plan.fields.flatMap((field) => spreadColumns(embed.plan.relation, field));
  if (!embed.relationship.toOne && columns.some(({ aggregate }) => aggregate)) {
    throw new RestError(400, 'PGRST127', 'Feature not implemented', {
      details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
    });
  }
  return [{ kind: 'spread', embed, columns }];
}

function spreadColumns(relation: Relation, field: Field): SpreadColumn[] {
  switch (field.kind) {
    case 'all':
      return [...relation.columns.keys()].map((name) => ({ name }));
    case 'spread':
      return field.columns;
    case 'count': {
      const { name, cast } = field;
      return [{ name, aggregate: { call: 'count', ...(cast === undefined ? {} : { cast }) } }];
    }
    case 'embed':
      return [{ name: field.name }];
    case 'value':
      return [{ name: field.name, ...(field.aggregate ? { aggregate: field.aggregate } : {}) }];
  }
}

export function isAggregated(field: Field): boolean {
  if (field.kind === 'count') return true;
  if (field.kind === 'value') return field.aggregate !== undefined;
  return field.kind === 'spread' && field.columns.some(({ aggregate }) => aggregate);
}

/** A single count is always allowed: it reveals no more than `Prefer: count=exact`. */
function checkAggregates({ schema }: PlanningScope, fields: readonly Field[]): void {
  const isCountAlone = fields.length === 1 && fields[0]?.kind === 'count';
  if (isCountAlone || schema.settings.areAggregatesEnabled) return;
  throw new RestError(400, 'PGRST123', 'Use of aggregate functions is not allowed');
}

/** Expands `*` to columns. */
export function expandAllColumns(relation: Relation, field: Field): Field[] {
  if (field.kind !== 'all') return [field];
  return [...relation.columns.values()].map((column) => ({
    kind: 'value',
    name: column.name,
    value: { column, steps: [] },
  }));
}
