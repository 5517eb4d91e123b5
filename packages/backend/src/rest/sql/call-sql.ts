import type { ResponseFormat } from '../response-format.ts';
import { wholeRowName, type SqlSource } from './filter-sql.ts';
import type { Payload } from '../request/payload.ts';
import { takesWholeBody } from '../plan/plan-call.ts';
import { compileRowsAsText } from './rows-as-text-sql.ts';
import type { ReadPlan } from '../plan/read-plan.ts';
import { compileLimit } from './conditions-sql.ts';
import { expandColumns, compileSelect } from './read-sql.ts';
import { quoteName, type Argument, type DatabaseFunction } from '../schema/schema.ts';
import {
  formatArray,
  bindValue,
  createAlias,
  type StatementBuilder,
  type BoundStatement,
} from './statement.ts';

/** Source of a call's arguments: a body (POST) or the URL (GET). */
export type CallArguments =
  | { from: 'body'; payload: Payload }
  | { from: 'raw'; text: string; type: 'text' | 'xml' | 'bytea' }
  | { from: 'url'; values: ReadonlyMap<string, readonly string[]> };

export interface Call {
  builder: StatementBuilder;
  called: DatabaseFunction;
  args: CallArguments;
  /** Plan for reading the rows that it returns. */
  plan: ReadPlan;
  format: ResponseFormat;
  counted: boolean;
}

/**
 * Settings of the response that a function may set. PostgreSQL evaluates a select list from left to
 * right.
 */
const responseSettingsSql = `, current_setting('response.status', true) as status,
  current_setting('response.headers', true) as headers`;

export function compileCall(call: Call): BoundStatement {
  const { builder, called, format, counted } = call;
  // A whole-row value, where needed, is an additional column.
  const plan = call.plan.needsRow ? expandColumns(call.plan) : call.plan;
  const { values } = builder;
  const { invocation, body } = compileInvocation(call);
  if (called.result === 'void') {
    return { text: `select ${invocation}${responseSettingsSql}${body && ` from ${body}`}`, values };
  }
  if (called.result === 'value' && !called.returnsSet) {
    const value = `coalesce(to_json(${invocation}), 'null')::text`;
    const from = body && ` from ${body}`;
    return { text: `select ${value} as body, 1 as rows${responseSettingsSql}${from}`, values };
  }
  const source: SqlSource = { relation: plan.relation, alias: createAlias(builder) };
  const from = `${body && `${body}, lateral `}${invocation} as ${source.alias}`;
  if (called.result === 'value') {
    const page = `select v from ${from}(v)${compileLimit(builder, plan)}`;
    const list = `coalesce(json_agg(r.v), '[]')::text as body, count(*)::int4 as rows`;
    return { text: `select ${list}${responseSettingsSql} from (${page}) r`, values };
  }
  if (!counted) {
    const rows = compileSelect(builder, plan, source, from).rows + compileLimit(builder, plan);
    return { text: `select ${compileRowsAsText(rows, format, responseSettingsSql)}`, values };
  }
  // Runs the function once: the rows counted and the rows returned are the same.
  const columns = plan.needsRow
    ? `${source.alias}.*, ${source.alias} as ${wholeRowName}`
    : `${source.alias}.*`;
  const read: SqlSource = { ...source, row: `${source.alias}.${wholeRowName}` };
  const { rows, conditions } = compileSelect(builder, plan, read, `source as ${source.alias}`);
  const total = `(select count(*) from source as ${source.alias}${conditions})::int4 as total`;
  const page = rows + compileLimit(builder, plan);
  return {
    text: `with source as materialized (select ${columns} from ${from}) select ${total}, ${compileRowsAsText(page, format, responseSettingsSql)}`,
    values,
  };
}

/** Builds `"public"."add"("a" => body."a")`, and the FROM item that defines `body`, if any. */
function compileInvocation({ called, args, builder }: Call): { invocation: string; body: string } {
  const [first] = called.arguments;
  if (args.from === 'raw' || (args.from === 'body' && takesWholeBody(called))) {
    const text = args.from === 'raw' ? args.text : args.payload.text;
    return {
      invocation: `${called.sql}(${bindValue(builder, text)}::${first?.type ?? 'text'})`,
      body: '',
    };
  }
  if (args.from === 'url') {
    const list = called.arguments.flatMap((argument) => {
      const [value, ...others] = args.values.get(argument.name) ?? [];
      if (value === undefined) return [];
      const text = argument.variadic ? formatArray([value, ...others]) : value;
      return compileArgument(argument, `${bindValue(builder, text)}::${argument.type}`);
    });
    return { invocation: `${called.sql}(${list.join(', ')})`, body: '' };
  }
  const named = called.arguments.filter(({ name }) => args.payload.keys.includes(name));
  if (named.length === 0) return { invocation: `${called.sql}()`, body: '' };
  const list = named.map((argument) =>
    compileArgument(argument, `body.${quoteName(argument.name)}`),
  );
  const types = named.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  const body = `json_to_record(${bindValue(builder, args.payload.text)}::json) as body(${types})`;
  return { invocation: `${called.sql}(${list.join(', ')})`, body };
}

function compileArgument(argument: Argument, value: string): string {
  return `${argument.variadic ? 'variadic ' : ''}${quoteName(argument.name)} => ${value}`;
}
