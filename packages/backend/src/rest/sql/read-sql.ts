import {
  compileLimit,
  compileInnerConditions,
  compileOrder,
  compileWhere,
} from './conditions-sql.ts';
import { compileEmbed } from './embed-sql.ts';
import { compileValue, type SqlSource } from './filter-sql.ts';
import { isAggregated, expandAllColumns } from '../plan/plan-fields.ts';
import type { EmbedPlan, Field, ReadPlan, SpreadColumn } from '../plan/read-plan.ts';
import { quoteName } from '../schema/schema.ts';
import { createAlias, type StatementBuilder } from './statement.ts';

/**
 * A read compiles to one SELECT whose rows PostgreSQL formats as JSON. An embedded relation is a
 * subquery in the select list: the planner runs it only for returned rows, after sorting and
 * limiting, where a lateral join would run for every matching row. Only spreads, which have several
 * columns, are lateral joins. `!inner` and tests of an embedded relation are EXISTS.
 */

/** A SELECT over one source, without limit; `conditions` is also used for counting. */
interface RowsSql {
  rows: string;
  conditions: string;
}

/**
 * Compiles a SELECT. `from` is the source as SQL, with its alias. `hoisted` is true when the parent
 * aggregates the spread rows, so that their aggregates are plain values here.
 */
export function compileSelect(
  builder: StatementBuilder,
  plan: ReadPlan,
  source: SqlSource,
  from: string,
  { joined = [], hoisted = false }: { joined?: readonly string[]; hoisted?: boolean } = {},
): RowsSql {
  const joins: string[] = [];
  const columns = plan.fields.flatMap((field) =>
    compileField({ builder, plan, source, joins, hoisted }, field),
  );
  const list = columns.map(({ sql }) => sql).join(', ');
  const conditions = compileWhere(builder, plan, source, [
    ...joined,
    ...compileInnerConditions(builder, plan, source),
  ]);
  const group = plan.grouped && !hoisted ? compileGroupBy(columns) : '';
  const order = compileOrder(builder, plan, source);
  return {
    rows: `select ${list} from ${from}${joins.join('')}${conditions}${group}${order}`,
    conditions,
  };
}

/** Expands `*` to the relation's own columns, for a source with additional ones. */
export function expandColumns(plan: ReadPlan): ReadPlan {
  return {
    ...plan,
    fields: plan.fields.flatMap((field) => expandAllColumns(plan.relation, field)),
  };
}

interface ListedColumn {
  sql: string;
  aggregated: boolean;
}

/** Groups by position: an embedded relation's JSON has no name to group by. */
function compileGroupBy(columns: readonly ListedColumn[]): string {
  const positions = columns.flatMap(({ aggregated }, index) => (aggregated ? [] : [index + 1]));
  return positions.length > 0 ? ` group by ${positions.join(', ')}` : '';
}

interface Listing {
  builder: StatementBuilder;
  plan: ReadPlan;
  source: SqlSource;
  joins: string[];
  hoisted: boolean;
}

function compileField(listing: Listing, field: Field): ListedColumn[] {
  const { builder, plan, source, hoisted } = listing;
  switch (field.kind) {
    case 'all':
      return [{ sql: `${source.alias}.*`, aggregated: false }];
    case 'count': {
      const sql = hoisted ? '1' : compileCast('count(*)', field.cast);
      return [{ sql: `${sql} as ${quoteName(field.name)}`, aggregated: true }];
    }
    case 'value': {
      const value = compileCast(compileValue(builder, source, field.value).sql, field.cast);
      const { aggregate } = field;
      const sql =
        aggregate && !hoisted ? compileCast(`${aggregate.call}(${value})`, aggregate.cast) : value;
      return [{ sql: `${sql} as ${quoteName(field.name)}`, aggregated: isAggregated(field) }];
    }
    case 'embed': {
      // json has no equality operator, jsonb does.
      const json = `${compileEmbedColumn(builder, source, field.embed)}${plan.grouped ? '::jsonb' : ''}`;
      return [{ sql: `${json} as ${quoteName(field.name)}`, aggregated: false }];
    }
    case 'spread': {
      const alias = createAlias(builder);
      listing.joins.push(compileSpreadJoin(builder, source, field, alias));
      return field.columns.map((column) => compileSpreadColumn(alias, column, hoisted));
    }
  }
}

function compileCast(sql: string, cast: string | undefined): string {
  return cast === undefined ? sql : `cast(${sql} as ${cast})`;
}

function compileSpreadColumn(alias: string, column: SpreadColumn, hoisted: boolean): ListedColumn {
  const { name, aggregate } = column;
  const value = `${alias}.${quoteName(name)}`;
  const sql =
    aggregate && !hoisted ? compileCast(`${aggregate.call}(${value})`, aggregate.cast) : value;
  return { sql: `${sql} as ${quoteName(name)}`, aggregated: aggregate !== undefined };
}

/** An embedded row as a JSON object, or rows as a list. */
function compileEmbedColumn(
  builder: StatementBuilder,
  parent: SqlSource,
  embed: EmbedPlan,
): string {
  const { source, from, joined } = compileEmbed(builder, parent, embed);
  const { rows } = compileSelect(builder, embed.plan, source, from, { joined });
  const page = rows + compileLimit(builder, embed.plan);
  return embed.relationship.toOne
    ? `(select row_to_json(e.*) from (${page}) e)`
    : `(select coalesce(json_agg(e.*), '[]') from (${page}) e)`;
}

/** Lateral join with the columns of the embedded row, or lists of the columns of several rows. */
function compileSpreadJoin(
  builder: StatementBuilder,
  parent: SqlSource,
  { embed, columns }: Extract<Field, { kind: 'spread' }>,
  alias: string,
): string {
  const { source, from, joined } = compileEmbed(builder, parent, embed);
  const { toOne } = embed.relationship;
  const { rows } = compileSelect(builder, embed.plan, source, from, { joined, hoisted: toOne });
  if (toOne) return ` left join lateral (${rows}) as ${alias} on true`;
  const lists = columns.map(({ name }) => {
    const column = quoteName(name);
    return `coalesce(json_agg(e.${column}), '[]') as ${column}`;
  });
  const page = rows + compileLimit(builder, embed.plan);
  return ` left join lateral (select ${lists.join(', ')} from (${page}) e) as ${alias} on true`;
}
