import type { Source } from './filter-sql.ts';
import type { Payload } from './payload.ts';
import { cutSql, printRows, writeRows, type Reading } from './read-sql.ts';
import { RestError, syntaxError } from './rest-error.ts';
import type { RequestQuery } from './request-query.ts';
import { quoteName, type Argument, type DatabaseFunction, type Relation } from './schema.ts';
import { bind, newAlias, type Statement } from './statement.ts';

/** Where a call's arguments come from: a JSON body (POST) or the address (GET). */
export type CallArguments =
  { from: 'body'; payload: Payload } | { from: 'address'; values: ReadonlyMap<string, string> };

export interface Call {
  reading: Reading;
  called: DatabaseFunction;
  given: CallArguments;
  query: RequestQuery;
  stripNulls: boolean;
  counted: boolean;
}

/** The overload whose arguments are the named ones, or that takes the whole body as JSON. */
export function getFunction(
  name: string,
  overloads: readonly DatabaseFunction[],
  names: readonly string[],
  hasBody: boolean,
): DatabaseFunction {
  const fitting = overloads.filter((overload) => takesNames(overload, names));
  const whole = hasBody ? overloads.find(takesWholeBody) : undefined;
  const [only = whole, ...others] = fitting;
  if (only && others.length === 0) return only;
  const shown = `public.${name}${names.length > 0 ? `(${names.join(', ').slice(0, 200)})` : ''}`;
  if (!only) {
    throw new RestError(
      404,
      'PGRST202',
      `Could not find the function ${shown} in the schema cache`,
      {
        details: `Searched for the function ${shown}, but no matches were found in the schema cache.`,
      },
    );
  }
  throw new RestError(
    300,
    'PGRST203',
    `Could not choose the best candidate function for ${shown}`,
    {
      hint: 'Give the functions different names, or their arguments.',
    },
  );
}

function takesNames({ arguments: known }: DatabaseFunction, names: readonly string[]): boolean {
  return (
    names.every((name) => known.some((argument) => argument.name === name)) &&
    known.every((argument) => !argument.required || names.includes(argument.name)) &&
    known.every((argument) => argument.name !== '')
  );
}

export function takesWholeBody({ arguments: known }: DatabaseFunction): boolean {
  const [only, ...others] = known;
  return only?.name === '' && others.length === 0 && /^jsonb?$/.test(only.type);
}

export function writeCall(call: Call): Statement {
  const { reading, called, query, stripNulls, counted } = call;
  const { values } = reading.draft;
  const { invocation, body } = invocationSql(call);
  if (called.result !== 'row') refuseRowQuery(called, query);
  if (called.result === 'void')
    return { text: `select ${invocation}${body && ` from ${body}`}`, values };
  if (called.result === 'value' && !called.returnsSet) {
    const value = `coalesce(to_json(${invocation}), 'null')::text`;
    return { text: `select ${value} as body, 1 as rows${body && ` from ${body}`}`, values };
  }
  const source: Source = {
    relation: called.rows ?? noColumns(called),
    alias: newAlias(reading.draft),
  };
  const from = `${body && `${body}, lateral `}${invocation} as ${source.alias}`;
  if (called.result === 'value') {
    const page = `select v from ${from}(v)${cutSql(reading, query.node)}`;
    const list = `coalesce(json_agg(r.v), '[]')::text as body, count(*)::int4 as rows`;
    return { text: `select ${list} from (${page}) r`, values };
  }
  if (!counted) {
    const rows = writeRows(reading, query.node, source, from).rows + cutSql(reading, query.node);
    return { text: `select ${printRows(rows, stripNulls)}`, values };
  }
  // The function runs once: what is counted and what is returned are the same rows.
  const { rows, conditions } = writeRows(reading, query.node, source, `source as ${source.alias}`);
  const total = `(select count(*) from source as ${source.alias}${conditions})::int4 as total`;
  const page = rows + cutSql(reading, query.node);
  return {
    text: `with source as materialized (select ${source.alias}.* from ${from}) select ${total}, ${printRows(page, stripNulls)}`,
    values,
  };
}

function refuseRowQuery(called: DatabaseFunction, { node }: RequestQuery): void {
  const isPlain = node.items.length === 1 && node.items[0]?.kind === 'all';
  const isCut = node.limit !== undefined || node.offset !== undefined;
  if (isPlain && node.filters.length === 0 && node.order.length === 0) {
    if (!isCut || called.returnsSet) return;
  }
  throw syntaxError(
    `The function ${called.name} does not return rows to select from, filter, order or cut`,
  );
}

function noColumns({ name, sql }: DatabaseFunction): Relation {
  return {
    name,
    sql,
    columns: new Map(),
    primaryKey: [],
    computed: new Map(),
    relationships: [],
  };
}

/** `"public"."add"("a" => body."a")`, and where `body` comes from, if anywhere. */
function invocationSql(call: Call): { invocation: string; body: string } {
  const { called, given } = call;
  const { draft } = call.reading;
  if (given.from === 'address') {
    const list = called.arguments.flatMap((argument) => {
      const value = given.values.get(argument.name);
      if (value === undefined) return [];
      return argumentSql(argument, `${bind(draft, value)}::${argument.type}`);
    });
    return { invocation: `${called.sql}(${list.join(', ')})`, body: '' };
  }
  if (takesWholeBody(called)) {
    const type = called.arguments[0]?.type ?? 'json';
    return { invocation: `${called.sql}(${bind(draft, given.payload.text)}::${type})`, body: '' };
  }
  const named = called.arguments.filter(({ name }) => given.payload.keys.includes(name));
  if (named.length === 0) return { invocation: `${called.sql}()`, body: '' };
  const list = named.map((argument) => argumentSql(argument, `body.${quoteName(argument.name)}`));
  const types = named.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  const body = `json_to_record(${bind(draft, given.payload.text)}::json) as body(${types})`;
  return { invocation: `${called.sql}(${list.join(', ')})`, body };
}

function argumentSql(argument: Argument, value: string): string {
  return `${argument.variadic ? 'variadic ' : ''}${quoteName(argument.name)} => ${value}`;
}
