import { compileEmbed } from './embed-sql.ts';
import { compileFilter, compileValue, type SqlSource } from './filter-sql.ts';
import type { EmbedPlan, OrderPlan, ReadPlan } from './read-plan.ts';
import { bindValue, type StatementDraft } from './statement.ts';

/** Conditions for `!inner`. */
export function compileInnerConditions(
  draft: StatementDraft,
  plan: ReadPlan,
  source: SqlSource,
): string[] {
  return plan.inner.map((embed) => compileExists(draft, source, embed));
}

function compileExists(draft: StatementDraft, parent: SqlSource, embed: EmbedPlan): string {
  const { source, from, joined } = compileEmbed(draft, parent, embed);
  const { plan } = embed;
  const conditions = [...joined, ...compileInnerConditions(draft, plan, source)];
  return `exists (select from ${from}${compileWhere(draft, plan, source, conditions)})`;
}

/** Where clause of the plan's filters, after the conditions in `before`. */
export function compileWhere(
  draft: StatementDraft,
  plan: ReadPlan,
  source: SqlSource,
  before: readonly string[] = [],
): string {
  const filters = plan.filters.map(
    (filter) =>
      `(${compileFilter(draft, source, filter, (embed) => compileExists(draft, source, embed))})`,
  );
  const conditions = [...before, ...filters];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

export function compileOrder(draft: StatementDraft, plan: ReadPlan, source: SqlSource): string {
  if (plan.order.length === 0) return '';
  const terms = plan.order.map((term) => {
    const nulls = term.nulls ? ` nulls ${term.nulls}` : '';
    return `${compileOrderKey(draft, source, term)} ${term.direction}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}

function compileOrderKey(
  draft: StatementDraft,
  source: SqlSource,
  { value, embed }: OrderPlan,
): string {
  if (!embed) return compileValue(draft, source, value).sql;
  const related = compileEmbed(draft, source, embed);
  const conditions = [
    ...related.joined,
    ...compileInnerConditions(draft, embed.plan, related.source),
  ];
  const where = compileWhere(draft, embed.plan, related.source, conditions);
  return `(select ${compileValue(draft, related.source, value).sql} from ${related.from}${where})`;
}

/** Limit and offset of the requested page. */
export function compileLimit(draft: StatementDraft, { limit, offset }: ReadPlan): string {
  const from = offset > 0 ? ` offset ${bindValue(draft, String(offset))}` : '';
  return ` limit ${bindValue(draft, String(limit))}${from}`;
}
