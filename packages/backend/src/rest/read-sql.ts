import { columnSql, filterSql, type Source } from './filter-sql.ts';
import type { Filter } from './filter-grammar.ts';
import { restLimits } from './limits.ts';
import type { OrderTerm } from './order-grammar.ts';
import { getRelationship } from './relationships.ts';
import { notEmbedded, RestError } from './rest-error.ts';
import { quoteName, type Relation, type Relationship, type Schema } from './schema.ts';
import type { EmbedItem, ReadNode, SelectItem } from './select-grammar.ts';
import { bind, newAlias, type Draft } from './statement.ts';

/**
 * Reads are written as one SELECT whose rows PostgreSQL itself prints as JSON. An embedded
 * relation is a subquery in the select list: the planner then runs it for the rows that are
 * returned, after sorting and cutting, where a lateral join would run it for every row that
 * matches. `!inner` and tests of an embedded relation are EXISTS.
 */
export interface Reading {
  schema: Schema;
  draft: Draft;
}

/** A SELECT over one source, not yet cut to a page; `conditions` also serves to count. */
export interface RowsSql {
  rows: string;
  conditions: string;
}

/** `from` is the source as SQL, with its alias. */
export function writeRows(
  reading: Reading,
  node: ReadNode,
  source: Source,
  from: string,
  joined: readonly string[] = [],
): RowsSql {
  const list = selectList(reading, node, source);
  const conditions = whereSql(reading, node, source, joined);
  const order = orderSql(reading, node, source);
  return { rows: `select ${list} from ${from}${conditions}${order}`, conditions };
}

/**
 * Rows as a JSON array in text, and how many there are. (`r.*` is the row; a bare `r` would be the
 * column of that name, if a request has given one that name.)
 */
export function printRows(rows: string, stripNulls: boolean): string {
  const list = `coalesce(json_agg(r.*), '[]')`;
  const body = stripNulls ? `json_strip_nulls(${list})` : list;
  return `${body}::text as body, count(*)::int4 as rows from (${rows}) r`;
}

function countAlone(): RestError {
  return new RestError(400, 'PGRST123', 'count cannot be read together with columns');
}

function selectList(reading: Reading, node: ReadNode, source: Source): string {
  const counted = node.items.filter((item) => isCount(item, source.relation));
  if (counted.length > 0 && (counted.length < node.items.length || node.order.length > 0)) {
    throw countAlone();
  }
  return node.items
    .filter((item) => item.kind !== 'embed' || item.node.items.length > 0)
    .map((item) => itemSql(reading, node, source, item))
    .join(', ');
}

/** `comments(count)` counts, as it always has in PostgREST, unless there is such a column. */
function isCount(item: SelectItem, relation: Relation): boolean {
  if (item.kind === 'count') return true;
  if (item.kind !== 'column' || item.path.column !== 'count') return false;
  return item.path.steps.length === 0 && !item.cast && !relation.columns.has('count');
}

function itemSql(reading: Reading, node: ReadNode, source: Source, item: SelectItem): string {
  if (item.kind === 'all') return `${source.alias}.*`;
  const name = quoteName(item.name);
  if (item.kind === 'embed') return `${embedSql(reading, source, item)} as ${name}`;
  if (item.kind === 'count' || isCount(item, source.relation)) return `count(*) as ${name}`;
  const { sql } = columnSql(reading.draft, source, item.path);
  return `${item.cast ? `cast(${sql} as ${item.cast})` : sql} as ${name}`;
}

/** An embedded relation joined to its parent, not yet selected from. */
interface Embedded {
  source: Source;
  from: string;
  joined: string[];
  link: Relationship;
}

function openEmbed(reading: Reading, parent: Source, embed: EmbedItem): Embedded {
  const link = getRelationship(parent.relation, embed.target, embed.hint);
  const relation = getLinked(reading.schema, link.to);
  const source = { relation, alias: newAlias(reading.draft) };
  const from = `${relation.sql} as ${source.alias}`;
  if (!link.through) {
    return { source, from, link, joined: equalSql(parent.alias, source.alias, link.pairs) };
  }
  const junction = getLinked(reading.schema, link.through.junction);
  const between = newAlias(reading.draft);
  return {
    source,
    link,
    from: `${from}, ${junction.sql} as ${between}`,
    joined: [
      ...equalSql(parent.alias, between, link.pairs),
      ...equalSql(between, source.alias, link.through.pairs),
    ],
  };
}

function getLinked(schema: Schema, name: string): Relation {
  const relation = schema.relations.get(name);
  if (!relation) throw new Error(`a relationship names ${name}, which is not in the schema`);
  return relation;
}

function equalSql(
  left: string,
  right: string,
  pairs: readonly (readonly [string, string])[],
): string[] {
  return pairs.map(([a, b]) => `${right}.${quoteName(b)} = ${left}.${quoteName(a)}`);
}

function embedSql(reading: Reading, parent: Source, embed: EmbedItem): string {
  const { source, from, joined, link } = openEmbed(reading, parent, embed);
  const { rows } = writeRows(reading, embed.node, source, from, joined);
  const page = rows + cutSql(reading, embed.node);
  return link.toOne
    ? `(select row_to_json(e.*) from (${page}) e)`
    : `(select coalesce(json_agg(e.*), '[]') from (${page}) e)`;
}

function existsSql(reading: Reading, parent: Source, embed: EmbedItem): string {
  const { source, from, joined } = openEmbed(reading, parent, embed);
  return `exists (select from ${from}${whereSql(reading, embed.node, source, joined)})`;
}

export function whereSql(
  reading: Reading,
  node: ReadNode,
  source: Source,
  joined: readonly string[] = [],
): string {
  const inner = node.items.flatMap((item) =>
    item.kind === 'embed' && item.inner ? [existsSql(reading, source, item)] : [],
  );
  const filters = node.filters.map(
    (filter) =>
      `(${filterSql(reading.draft, source, filter, (own) => embedTestSql(reading, node, source, own))})`,
  );
  const conditions = [...joined, ...inner, ...filters];
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

/** `authors=is.null` → rows without such an author. */
function embedTestSql(
  reading: Reading,
  node: ReadNode,
  source: Source,
  filter: Filter,
): string | undefined {
  if (filter.kind !== 'compare' || filter.path.steps.length > 0) return undefined;
  const embed = findEmbed(node, filter.path.column);
  if (!embed || filter.test.kind !== 'is') return undefined;
  const isNull = filter.test.sql === 'is null';
  if (!isNull && filter.test.sql !== 'is not null') return undefined;
  const exists = existsSql(reading, source, embed);
  return isNull === filter.negated ? exists : `not ${exists}`;
}

function findEmbed(node: ReadNode, name: string): EmbedItem | undefined {
  return node.items.find((item): item is EmbedItem => item.kind === 'embed' && item.name === name);
}

export function orderSql(reading: Reading, node: ReadNode, source: Source): string {
  if (node.order.length === 0) return '';
  const terms = node.order.map((term) => {
    const nulls = term.nulls ? ` nulls ${term.nulls}` : '';
    return `${orderKeySql(reading, node, source, term)} ${term.direction ?? 'asc'}${nulls}`;
  });
  return ` order by ${terms.join(', ')}`;
}

function orderKeySql(reading: Reading, node: ReadNode, source: Source, term: OrderTerm): string {
  if (term.relation === undefined) return columnSql(reading.draft, source, term.path).sql;
  const embed = findEmbed(node, term.relation);
  if (!embed) throw notEmbedded(term.relation);
  const embedded = openEmbed(reading, source, embed);
  if (!embedded.link.toOne) {
    throw new RestError(400, 'PGRST118', `A related order on '${term.relation}' is not possible`, {
      details: `'${source.relation.name}' and '${term.relation}' do not form a many-to-one or one-to-one relationship`,
    });
  }
  const where = whereSql(reading, embed.node, embedded.source, embedded.joined);
  const { sql } = columnSql(reading.draft, embedded.source, term.path);
  return `(select ${sql} from ${embedded.from}${where})`;
}

/** Adds the page that was asked for, never longer than `maxRows`. */
export function cutSql(reading: Reading, node: ReadNode): string {
  const { maxRows } = restLimits;
  const limit = bind(reading.draft, String(Math.min(node.limit ?? maxRows, maxRows)));
  const offset = node.offset ? ` offset ${bind(reading.draft, String(node.offset))}` : '';
  return ` limit ${limit}${offset}`;
}
