import { embedSql, openEmbed, spreadJoin } from './embed-sql.ts';
import { filterSql, valueSql, type Source } from './filter-sql.ts';
import { isAggregated, nameAll } from './plan-fields.ts';
import type { EmbedPlan, Field, OrderPlan, ReadPlan, SpreadColumn } from './read-plan.ts';
import { quoteName } from './schema.ts';
import { bind, newAlias, type Draft } from './statement.ts';

/**
 * Reads are written as one SELECT whose rows PostgreSQL itself prints as JSON. An embedded
 * relation is a subquery in the select list: the planner then runs it for the rows that are
 * returned, after sorting and cutting, where a lateral join would run it for every row that
 * matches. Only a spread one, which gives several columns, is joined. `!inner` and tests of an
 * embedded relation are EXISTS.
 */

/** A SELECT over one source, not yet cut to a page; `conditions` also serves to count. */
export interface RowsSql {
  rows: string;
  conditions: string;
}

/**
 * `from` is the source as SQL, with its alias. `hoisted` rows are spread into those of a parent
 * that aggregates them, so here their aggregates are plain values.
 */
export function writeRows(
  draft: Draft,
  plan: ReadPlan,
  source: Source,
  from: string,
  { joined = [], hoisted = false }: { joined?: readonly string[]; hoisted?: boolean } = {},
): RowsSql {
  const joins: string[] = [];
  const columns = plan.fields.flatMap((field) =>
    fieldSql({ draft, plan, source, joins, hoisted }, field),
  );
  const list = columns.map(({ sql }) => sql).join(', ');
  const conditions = whereSql(draft, plan, source, [...joined, ...innerSql(draft, plan, source)]);
  const group = plan.grouped && !hoisted ? groupSql(columns) : '';
  const order = orderSql(draft, plan, source);
  return {
    rows: `select ${list} from ${from}${joins.join('')}${conditions}${group}${order}`,
    conditions,
  };
}

/** The plan with `*` as the relation's own columns, for a source that has others beside them. */
export function nameColumns(plan: ReadPlan): ReadPlan {
  return { ...plan, fields: plan.fields.flatMap((field) => nameAll(plan.relation, field)) };
}

interface ListedColumn {
  sql: string;
  aggregated: boolean;
}

/** By place in the list: an embedded relation's JSON has no name to group by. */
function groupSql(columns: readonly ListedColumn[]): string {
  const places = columns.flatMap(({ aggregated }, index) => (aggregated ? [] : [index + 1]));
  return places.length > 0 ? ` group by ${places.join(', ')}` : '';
}

interface Listing {
  draft: Draft;
  plan: ReadPlan;
  source: Source;
  joins: string[];
  hoisted: boolean;
}

function fieldSql(listing: Listing, field: Field): ListedColumn[] {
  const { draft, plan, source, hoisted } = listing;
  switch (field.kind) {
    case 'all':
      return [{ sql: `${source.alias}.*`, aggregated: false }];
    case 'count': {
      const sql = hoisted ? '1' : castSql('count(*)', field.cast);
      return [{ sql: `${sql} as ${quoteName(field.name)}`, aggregated: true }];
    }
    case 'value': {
      const value = castSql(valueSql(draft, source, field.value).sql, field.cast);
      const { aggregate } = field;
      const sql =
        aggregate && !hoisted ? castSql(`${aggregate.call}(${value})`, aggregate.cast) : value;
      return [{ sql: `${sql} as ${quoteName(field.name)}`, aggregated: isAggregated(field) }];
    }
    case 'embed': {
      // Only jsonb has equality.
      const json = `${embedSql(draft, source, field.embed)}${plan.grouped ? '::jsonb' : ''}`;
      return [{ sql: `${json} as ${quoteName(field.name)}`, aggregated: false }];
    }
    case 'spread': {
      const alias = newAlias(draft);
      listing.joins.push(spreadJoin(draft, source, field, alias));
      return field.columns.map((column) => spreadColumnSql(alias, column, hoisted));
    }
  }
}

function castSql(sql: string, cast: string | undefined): string {
  return cast === undefined ? sql : `cast(${sql} as ${cast})`;
}

function spreadColumnSql(alias: string, column: SpreadColumn, hoisted: boolean): ListedColumn {
  const { name, aggregate } = column;
  const value = `${alias}.${quoteName(name)}`;
  const sql =
    aggregate && !hoisted ? castSql(`${aggregate.call}(${value})`, aggregate.cast) : value;
  return { sql: `${sql} as ${quoteName(name)}`, aggregated: aggregate !== undefined };
}

/** What `!inner` asks of the rows. */
export function innerSql(draft: Draft, plan: ReadPlan, source: Source): string[] {
  return plan.inner.map((embed) => existsSql(draft, source, embed));
}

function existsSql(draft: Draft, parent: Source, embed: EmbedPlan): string {
  const { source, from, joined } = openEmbed(draft, parent, embed);
  const { plan } = embed;
  const conditions = [...joined, ...innerSql(draft, plan, source)];
  return `exists (select from ${from}${whereSql(draft, plan, source, conditions)})`;
}

/** The plan's filters, behind conditions that are written already. */
export function whereSql(
  draft: Draft,
  plan: ReadPlan,
  source: Source,
  before: readonly string[] = [],
): string {
  const filters = plan.filters.map(
    (filter) => `(${filterSql(draft, source, filter, (embed) => existsSql(draft, source, embed))})`,
  );
  const conditions = [...before, ...filters];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

function orderSql(draft: Draft, plan: ReadPlan, source: Source): string {
  if (plan.order.length === 0) return '';
  const terms = plan.order.map((term) => {
    const nulls = term.nulls ? ` nulls ${term.nulls}` : '';
    return `${orderKeySql(draft, source, term)} ${term.direction}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}

function orderKeySql(draft: Draft, source: Source, { value, embed }: OrderPlan): string {
  if (!embed) return valueSql(draft, source, value).sql;
  const related = openEmbed(draft, source, embed);
  const conditions = [...related.joined, ...innerSql(draft, embed.plan, related.source)];
  const where = whereSql(draft, embed.plan, related.source, conditions);
  return `(select ${valueSql(draft, related.source, value).sql} from ${related.from}${where})`;
}

/** Adds the page that was asked for. */
export function cutSql(draft: Draft, { limit, offset }: ReadPlan): string {
  const from = offset > 0 ? ` offset ${bind(draft, String(offset))}` : '';
  return ` limit ${bind(draft, String(limit))}${from}`;
}
