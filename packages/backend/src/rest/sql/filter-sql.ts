import type { Test } from '../request/filter-grammar.ts';
import type { EmbedPlan, FilterPlan, Value } from '../plan/read-plan.ts';
import { quoteName, type Column, type Relation } from '../schema/schema.ts';
import { formatArray, bindValue, bindOnce, type StatementBuilder } from './statement.ts';

/** A relation in a FROM clause. */
export interface SqlSource {
  relation: Relation;
  alias: string;
  /** SQL of its whole-row value, where that is not the alias itself. */
  row?: string;
}

/** Name of the whole-row value among other columns; no column has this name. */
export const wholeRowName = quoteName('\u0001');

export function compileWholeRow({ alias, row }: SqlSource): string {
  return row ?? `${alias}.*`;
}

export interface Expression {
  sql: string;
  kind: Column['kind'];
}

/**
 * SQL of a column, a computed column, or a JSON path in one. Other types are converted to JSON for
 * a path.
 */
export function compileValue(
  builder: StatementBuilder,
  source: SqlSource,
  { column, steps }: Value,
): Expression {
  const base = column.functionSql
    ? `${column.functionSql}(${compileWholeRow(source)})`
    : `${source.alias}.${quoteName(column.name)}`;
  if (steps.length === 0) return { sql: base, kind: column.kind };
  const pathSteps = steps.map(
    ({ arrow, step }) =>
      `${arrow}${bindOnce(builder, String(step), typeof step === 'number' ? 'int4' : 'text')}`,
  );
  const isText = steps.at(-1)?.arrow === '->>';
  const json = column.kind === 'json' ? base : `to_jsonb(${base})`;
  return { sql: `(${json}${pathSteps.join('')})`, kind: isText ? 'other' : 'json' };
}

/** SQL of a filter. `writeExists` writes the test for an embedded row. */
export function compileFilter(
  builder: StatementBuilder,
  source: SqlSource,
  filter: FilterPlan,
  writeExists: (embed: EmbedPlan) => string,
): string {
  const sql = compileWithoutNegation(builder, source, filter, writeExists);
  return filter.negated ? `not (${sql})` : sql;
}

function compileWithoutNegation(
  builder: StatementBuilder,
  source: SqlSource,
  filter: FilterPlan,
  writeExists: (embed: EmbedPlan) => string,
): string {
  switch (filter.kind) {
    case 'compare':
      return compileTest(builder, compileValue(builder, source, filter.value), filter.test);
    case 'exists':
      return writeExists(filter.embed);
    case 'group':
      return filter.filters
        .map((inner) => `(${compileFilter(builder, source, inner, writeExists)})`)
        .join(` ${filter.joiner} `);
  }
}

function compileTest(builder: StatementBuilder, left: Expression, test: Test): string {
  switch (test.kind) {
    case 'is':
      return `${left.sql} ${test.sql}`;
    case 'in':
      return `${left.sql} = any (${bindValue(builder, formatArray(test.values))})`;
    case 'operator': {
      const placeholder = bindValue(builder, test.value);
      return `${left.sql} ${test.sql} ${test.quantifier ? `${test.quantifier} (${placeholder})` : placeholder}`;
    }
    case 'search': {
      const language = test.language ? `${bindValue(builder, test.language)}::regconfig, ` : '';
      const words = left.kind === 'tsvector' ? left.sql : `to_tsvector(${language}${left.sql})`;
      return `${words} @@ ${test.parse}(${language}${bindValue(builder, test.value)}::text)`;
    }
  }
}
