import { openEmbed } from './embed-sql.ts';
import { filterSql, valueSql, type Source } from './filter-sql.ts';
import type { EmbedPlan, OrderPlan, ReadPlan } from './read-plan.ts';
import { bind, type Draft } from './statement.ts';

/** Conditions for `!inner`. */
export function innerSql(draft: Draft, plan: ReadPlan, source: Source): string[] {
  return plan.inner.map((embed) => compileExists(draft, source, embed));
}

function compileExists(draft: Draft, parent: Source, embed: EmbedPlan): string {
  const { source, from, joined } = openEmbed(draft, parent, embed);
  const { plan } = embed;
  const conditions = [...joined, ...innerSql(draft, plan, source)];
  return `exists (select from ${from}${whereSql(draft, plan, source, conditions)})`;
}

/** Where clause of the plan's filters, after the conditions in `before`. */
export function whereSql(
  draft: Draft,
  plan: ReadPlan,
  source: Source,
  before: readonly string[] = [],
): string {
  const filters = plan.filters.map(
    (filter) =>
      `(${filterSql(draft, source, filter, (embed) => compileExists(draft, source, embed))})`,
  );
  const conditions = [...before, ...filters];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

export function orderSql(draft: Draft, plan: ReadPlan, source: Source): string {
  if (plan.order.length === 0) return '';
  const terms = plan.order.map((term) => {
    const nulls = term.nulls ? ` nulls ${term.nulls}` : '';
    return `${compileOrderKey(draft, source, term)} ${term.direction}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}

function compileOrderKey(draft: Draft, source: Source, { value, embed }: OrderPlan): string {
  if (!embed) return valueSql(draft, source, value).sql;
  const related = openEmbed(draft, source, embed);
  const conditions = [...related.joined, ...innerSql(draft, embed.plan, related.source)];
  const where = whereSql(draft, embed.plan, related.source, conditions);
  return `(select ${valueSql(draft, related.source, value).sql} from ${related.from}${where})`;
}

/** Limit and offset of the requested page. */
export function cutSql(draft: Draft, { limit, offset }: ReadPlan): string {
  const from = offset > 0 ? ` offset ${bind(draft, String(offset))}` : '';
  return ` limit ${bind(draft, String(limit))}${from}`;
}
