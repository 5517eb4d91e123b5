import { invalidBody, type Payload } from './payload.ts';
import type { FilterPlan, ReadPlan } from './read-plan.ts';
import { whereSql } from './conditions-sql.ts';
import { represent, updatedSetting, type Write } from './represent-sql.ts';
import { RestError, syntaxError, unknownWrittenColumn } from './rest-error.ts';
import { quoteName, type Column } from './schema.ts';
import { bind, newAlias, type Statement } from './statement.ts';
import type { Result } from './transaction.ts';

export function writeInsert(write: Write, payload: Payload): Statement {
  if (write.plan.filters.length > 0) throw syntaxError('An insert does not support filters');
  return compileInsertRows(write, payload, () => '');
}

/** Compiles a PUT: inserts or replaces the row whose key is in the URL. */
export function writePut(write: Write, payload: Payload): Statement {
  const { draft, plan, preferences, query, relation } = write;
  assertKeyFilter(write);
  const provided = new Set(query.columns ?? payload.keys);
  if (relation.primaryKey.some((name) => !provided.has(name))) throw createKeyMismatchError();
  const upsert: Write = {
    ...write,
    query: { ...query, onConflict: [...relation.primaryKey] },
    preferences: { ...preferences, resolution: 'merge-duplicates' },
  };
  // A body with another key than the URL leaves no row, which `checkPut` rejects.
  return compileInsertRows(upsert, payload, () =>
    whereSql(draft, plan, { relation, alias: 'body' }),
  );
}

export function checkPut({ rows }: Result): void {
  if (rows !== 1) throw createKeyMismatchError();
}

function assertKeyFilter({ plan, relation: { primaryKey } }: Write): void {
  const names = plan.filters.map((filter) =>
    filter.kind === 'compare' && isEquality(filter) ? filter.value.column.name : undefined,
  );
  const isKey = primaryKey.length > 0 && names.length === primaryKey.length;
  if (isKey && primaryKey.every((name) => names.includes(name))) return;
  throw new RestError(
    405,
    'PGRST105',
    "Filters must include all and only primary key columns with 'eq' operators",
  );
}

function isEquality({ negated, test, value }: Extract<FilterPlan, { kind: 'compare' }>): boolean {
  if (negated || value.steps.length > 0 || value.column.functionSql) return false;
  return test.kind === 'operator' && test.sql === '=' && test.quantifier === undefined;
}

function createKeyMismatchError(): RestError {
  return new RestError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)');
}

/** Compiles an insert. `where` filters the rows of the body. */
function compileInsertRows(write: Write, payload: Payload, where: () => string): Statement {
  const { draft } = write;
  const columns = listPayloadColumns(write, payload);
  const source = { relation: write.relation, alias: newAlias(draft) };
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  const provided = columns.map(({ name }) => `body.${quoteName(name)}`).join(', ');
  const values =
    columns.length === 0
      ? compileNoColumns(payload)
      : `(${list}) select ${provided} from ${compileInsertedRows(write, payload, columns)}${where()}`;
  const conflict = compileConflict(write, columns);
  return represent(
    write,
    source,
    `insert into ${write.relation.sql} as ${source.alias} ${values}${conflict}`,
    {
      keys: write.preferences.return === 'headers-only',
      updated: conflict.includes(countUpdatedSql),
    },
  );
}

export function writeUpdate(write: Write, payload: Payload): Statement {
  const { draft, relation, plan } = write;
  if (payload.shape !== 'object') throw invalidBody('An update requires one JSON object');
  assertFilter('UPDATE', plan);
  const columns = listPayloadColumns(write, payload);
  const source = { relation, alias: newAlias(draft) };
  const set = columns.map(({ name }) => `${quoteName(name)} = body.${quoteName(name)}`).join(', ');
  const body = compileRecord('json_to_record', bind(draft, payload.text), columns);
  return represent(
    write,
    source,
    `update ${relation.sql} as ${source.alias} set ${set} from ${body}${whereSql(draft, plan, source)}`,
  );
}

export function writeDelete(write: Write): Statement {
  const { draft, relation, plan } = write;
  assertFilter('DELETE', plan);
  const source = { relation, alias: newAlias(draft) };
  return represent(
    write,
    source,
    `delete from ${relation.sql} as ${source.alias}${whereSql(draft, plan, source)}`,
  );
}

/** A forgotten filter would change every row that the user may change. */
function assertFilter(verb: string, plan: ReadPlan): void {
  if (plan.filters.length > 0) return;
  throw new RestError(400, '21000', `${verb} requires a WHERE clause`);
}

function listPayloadColumns(write: Write, payload: Payload): Column[] {
  if (payload.shape === 'other')
    throw invalidBody('The body is not an object or a list of objects');
  const { columns } = write.query;
  if (!columns && payload.uneven) throw invalidBody('All object keys must match');
  return (columns ?? payload.keys).map((name) => {
    const column = write.relation.columns.get(name);
    if (!column) throw unknownWrittenColumn(write.relation.name, name);
    return column;
  });
}

function compileNoColumns(payload: Payload): string {
  if (payload.length === 1) return 'default values';
  throw invalidBody('Inserting several rows requires at least one column');
}

/** `json_to_record($1::json) as body("id" integer, "title" text)` */
function compileRecord(reader: string, placeholder: string, columns: readonly Column[]): string {
  const types = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  return `${reader}(${placeholder}${reader.startsWith('jsonb') ? '' : '::json'}) as body(${types})`;
}

/** SQL of the rows to insert. With `missing=default`, missing names have their defaults. */
function compileInsertedRows(write: Write, payload: Payload, columns: readonly Column[]): string {
  const { draft } = write;
  const placeholder = bind(draft, payload.text);
  const defaults = columns.filter(({ defaultSql }) => defaultSql !== undefined);
  if (write.preferences.missing !== 'default' || defaults.length === 0) {
    const reader = payload.shape === 'object' ? 'json_to_record' : 'json_to_recordset';
    return compileRecord(reader, placeholder, columns);
  }
  const object = defaults
    .map(({ name, defaultSql }) => `${bind(draft, name)}::text, ${defaultSql}`)
    .join(', ');
  const list =
    payload.shape === 'object'
      ? `jsonb_build_array(${placeholder}::jsonb)`
      : `${placeholder}::jsonb`;
  const record = compileRecord('jsonb_to_record', `jsonb_build_object(${object}) || item`, columns);
  return `jsonb_array_elements(${list}) as items(item), lateral ${record}`;
}

/** Counts updated rows: always true, and only evaluated for these. */
const countUpdatedSql = `set_config('${updatedSetting}',
  (coalesce(nullif(current_setting('${updatedSetting}', true), ''), '0')::int4 + 1)::text, true) is not null`;

function compileConflict(write: Write, columns: readonly Column[]): string {
  const { resolution } = write.preferences;
  if (!resolution) {
    if (!write.query.onConflict) return '';
    throw syntaxError('on_conflict needs Prefer: resolution=merge-duplicates or ignore-duplicates');
  }
  const target = (write.query.onConflict ?? write.relation.primaryKey).map((name) => {
    if (!write.relation.columns.has(name)) throw unknownWrittenColumn(write.relation.name, name);
    return quoteName(name);
  });
  if (target.length === 0) return '';
  const sets = columns.map(({ name }) => `${quoteName(name)} = excluded.${quoteName(name)}`);
  const action =
    resolution === 'merge-duplicates' && sets.length > 0
      ? `update set ${sets.join(', ')} where ${countUpdatedSql}`
      : 'nothing';
  return ` on conflict (${target.join(', ')}) do ${action}`;
}
