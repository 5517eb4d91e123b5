import type { Filter } from '../request/filter-grammar.ts';
import { getRelationship } from './find-relationship.ts';
import type { OrderTerm } from '../request/order-grammar.ts';
import { planFields } from './plan-fields.ts';
import { planValue, type PlanningScope } from './planning.ts';
import type { EmbedPlan, FilterPlan, OrderPlan, ReadPlan } from './read-plan.ts';
import { createNotEmbeddedError, RestError } from '../rest-error.ts';
import type { Relation, Schema } from '../schema/schema.ts';
import type { EmbedItem, ReadNode } from '../request/select-grammar.ts';

/** Resolves all names of `node` in the schema; throws for unknown ones. */
export function planRead(schema: Schema, relation: Relation, node: ReadNode): ReadPlan {
  return planNode(schema, relation, node, relation.name, 0);
}

function planNode(
  schema: Schema,
  relation: Relation,
  node: ReadNode,
  label: string,
  depth: number,
): ReadPlan {
  const embeds = new Map<string, EmbedPlan>();
  const planning: PlanningScope = { schema, relation, label, depth, embeds, needsRow: false };
  const innerEmbeds: EmbedPlan[] = [];
  for (const item of node.items) {
    if (item.kind !== 'embed') continue;
    if (embeds.has(item.name)) throw createDuplicateNameError(relation, item, depth);
    const embed = planEmbed(planning, item);
    embeds.set(item.name, embed);
    if (item.inner) innerEmbeds.push(embed);
  }
  const { fields, grouped } = planFields(planning, node);
  const { maxRows } = schema.settings;
  return {
    relation,
    fields,
    innerEmbeds,
    filters: node.filters.map((filter) => planFilter(planning, filter)),
    order: node.order.map((term) => planOrder(planning, term)),
    limit: Math.min(node.limit ?? maxRows, maxRows),
    offset: node.offset ?? 0,
    grouped,
    needsRow: planning.needsRow,
  };
}

function createDuplicateNameError(
  relation: Relation,
  { name }: EmbedItem,
  depth: number,
): RestError {
  return new RestError(
    400,
    '42712',
    `table name "${relation.name}_${name}_${depth + 1}" specified more than once`,
  );
}

function planEmbed(planning: PlanningScope, item: EmbedItem): EmbedPlan {
  const { schema, relation, depth } = planning;
  const relationship = getRelationship(relation, item.target, item.hint);
  if (relationship.computed) planning.needsRow = true;
  const plan = planNode(
    schema,
    getRelatedRelation(schema, relationship.to),
    item.node,
    `${relationship.to}_${depth + 1}`,
    depth + 1,
  );
  if (!relationship.through) return { relationship, plan };
  return {
    relationship,
    plan,
    junction: getRelatedRelation(schema, relationship.through.junction),
  };
}

function getRelatedRelation(schema: Schema, name: string): Relation {
  const relation = schema.relations.get(name);
  if (!relation) throw new Error(`a relationship names ${name}, which is not in the schema`);
  return relation;
}

function planFilter(planning: PlanningScope, filter: Filter): FilterPlan {
  const { negated } = filter;
  if (filter.kind === 'group') {
    const filters = filter.filters.map((member) => planFilter(planning, member));
    return { kind: 'group', joiner: filter.joiner, negated, filters };
  }
  const exists = planExists(planning, filter);
  if (exists) return exists;
  return { kind: 'compare', value: planValue(planning, filter.path), negated, test: filter.test };
}

/** Plans `authors=is.null`: rows without such an author. */
function planExists(
  { embeds }: PlanningScope,
  { path, test, negated }: Extract<Filter, { kind: 'compare' }>,
): FilterPlan | undefined {
  const embed = embeds.get(path.column);
  if (!embed || path.steps.length > 0 || test.kind !== 'is') return undefined;
  const isNull = test.sql === 'is null';
  if (!isNull && test.sql !== 'is not null') return undefined;
  return { kind: 'exists', embed, negated: isNull !== negated };
}

function planOrder(planning: PlanningScope, term: OrderTerm): OrderPlan {
  const { direction = 'asc', nulls } = term;
  const order: Omit<OrderPlan, 'value'> = { direction, ...(nulls ? { nulls } : {}) };
  if (term.relation === undefined) return { ...order, value: planValue(planning, term.path) };
  const embed = planning.embeds.get(term.relation);
  if (!embed) throw createNotEmbeddedError(term.relation);
  if (!embed.relationship.toOne) {
    throw new RestError(400, 'PGRST118', `A related order on '${term.relation}' is not possible`, {
      details: `'${planning.relation.name}' and '${term.relation}' do not form a many-to-one or one-to-one relationship`,
    });
  }
  const { relation } = embed.plan;
  const target: PlanningScope = { ...planning, relation, label: relation.name, needsRow: false };
  return { ...order, embed, value: planValue(target, term.path) };
}
