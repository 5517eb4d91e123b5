import type { ColumnPath } from './column-path.ts';
import type { Filter, Test } from './filter-grammar.ts';
import { RestError, unknownColumn } from './rest-error.ts';
import { quoteName, type Column, type Relation } from './schema.ts';
import { arrayText, bind, type Draft } from './statement.ts';

/** A relation as it stands in a FROM clause. */
export interface Source {
  relation: Relation;
  alias: string;
}

export interface Expression {
  sql: string;
  kind: Column['kind'];
}

/** The SQL of a column, a computed column, or a place in a JSON column. */
export function columnSql(draft: Draft, source: Source, path: ColumnPath): Expression {
  const column = getColumn(source.relation, path.column);
  const base = column.functionSql
    ? `${column.functionSql}(${source.alias}.*)`
    : `${source.alias}.${quoteName(column.name)}`;
  if (path.steps.length === 0) return { sql: base, kind: column.kind };
  if (column.kind !== 'json') throw notJson(source.relation, column);
  const steps = path.steps.map(({ arrow, step }) => {
    const place = bind(draft, String(step));
    return `${arrow}${place}::${typeof step === 'number' ? 'int4' : 'text'}`;
  });
  const isText = path.steps.at(-1)?.arrow === '->>';
  return { sql: `(${base}${steps.join('')})`, kind: isText ? 'other' : 'json' };
}

function getColumn(relation: Relation, name: string): Column {
  const column = relation.columns.get(name) ?? relation.computed.get(name);
  if (!column) throw unknownColumn(relation.name, name);
  return column;
}

function notJson(relation: Relation, column: Column): RestError {
  return new RestError(
    400,
    '42809',
    `column ${relation.name}.${column.name} is not JSON and has nothing inside to name`,
  );
}

/** `writeOwn` may answer for a filter on something other than a column. */
export function filterSql(
  draft: Draft,
  source: Source,
  filter: Filter,
  writeOwn: (filter: Filter) => string | undefined,
): string {
  const own = writeOwn(filter);
  if (own !== undefined) return own;
  const sql =
    filter.kind === 'compare'
      ? testSql(draft, columnSql(draft, source, filter.path), filter.test)
      : filter.filters
          .map((inner) => `(${filterSql(draft, source, inner, writeOwn)})`)
          .join(` ${filter.joiner} `);
  return filter.negated ? `not (${sql})` : sql;
}

function testSql(draft: Draft, left: Expression, test: Test): string {
  switch (test.kind) {
    case 'is':
      return `${left.sql} ${test.sql}`;
    case 'in':
      return `${left.sql} = any (${bind(draft, arrayText(test.values))})`;
    case 'operator': {
      const place = bind(draft, test.value);
      return `${left.sql} ${test.sql} ${test.quantifier ? `${test.quantifier} (${place})` : place}`;
    }
    case 'search': {
      const language = test.language ? `${bind(draft, test.language)}::regconfig, ` : '';
      const words = left.kind === 'tsvector' ? left.sql : `to_tsvector(${language}${left.sql})`;
      return `${words} @@ ${test.parse}(${language}${bind(draft, test.value)}::text)`;
    }
  }
}
