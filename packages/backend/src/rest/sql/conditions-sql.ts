import { compileEmbed } from './embed-sql.ts';
import { compileFilter, compileValue, type SqlSource } from './filter-sql.ts';
import type { EmbedPlan, OrderPlan, ReadPlan } from '../plan/read-plan.ts';
import { bindValue, type StatementBuilder } from './statement.ts';

/** Conditions for `!inner`. */
export function compileInnerConditions(
  builder: StatementBuilder,
  plan: ReadPlan,
  source: SqlSource,
): string[] {
  return plan.innerEmbeds.map((embed) => compileExists(builder, source, embed));
}

function compileExists(builder: StatementBuilder, parent: SqlSource, embed: EmbedPlan): string {
  const { source, from, joined } = compileEmbed(builder, parent, embed);
  const { plan } = embed;
  const conditions = [...joined, ...compileInnerConditions(builder, plan, source)];
  return `exists (select from ${from}${compileWhere(builder, plan, source, conditions)})`;
}

/** Where clause of the plan's filters, after the conditions in `before`. */
export function compileWhere(
  builder: StatementBuilder,
  plan: ReadPlan,
  source: SqlSource,
  before: readonly string[] = [],
): string {
  const filters = plan.filters.map(
    (filter) =>
      `(${compileFilter(builder, source, filter, (embed) => compileExists(builder, source, embed))})`,
  );
  const conditions = [...before, ...filters];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

export function compileOrder(builder: StatementBuilder, plan: ReadPlan, source: SqlSource): string {
  if (plan.order.length === 0) return '';
  const terms = plan.order.map((term) => {
    const nulls = term.nulls ? ` nulls ${term.nulls}` : '';
    return `${compileOrderKey(builder, source, term)} ${term.direction}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}

function compileOrderKey(
  builder: StatementBuilder,
  source: SqlSource,
  { value, embed }: OrderPlan,
): string {
  if (!embed) return compileValue(builder, source, value).sql;
  const related = compileEmbed(builder, source, embed);
  const conditions = [
    ...related.joined,
    ...compileInnerConditions(builder, embed.plan, related.source),
  ];
  const where = compileWhere(builder, embed.plan, related.source, conditions);
  return `(select ${compileValue(builder, related.source, value).sql} from ${related.from}${where})`;
}

/** Limit and offset of the requested page. */
export function compileLimit(builder: StatementBuilder, { limit, offset }: ReadPlan): string {
  const from = offset > 0 ? ` offset ${bindValue(builder, String(offset))}` : '';
  return ` limit ${bindValue(builder, String(limit))}${from}`;
}
