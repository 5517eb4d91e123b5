import { createInvalidBodyError, type Payload } from '../request/payload.ts';
import type { FilterPlan, ReadPlan } from '../plan/read-plan.ts';
import { compileWhere } from './conditions-sql.ts';
import { compileReturning, updatedCountSetting, type WriteContext } from './returning-sql.ts';
import { RestError, createSyntaxError, createUnknownWrittenColumnError } from '../rest-error.ts';
import { quoteName, type Column } from '../schema/schema.ts';
import { bindValue, createAlias, type BoundStatement } from './statement.ts';
import type { StatementResult } from '../transaction.ts';

export function compileInsert(write: WriteContext, payload: Payload): BoundStatement {
  if (write.plan.filters.length > 0) throw createSyntaxError('An insert does not support filters');
  return compileInsertRows(write, payload, () => '');
}

/** Compiles a PUT: inserts or replaces the row whose key is in the URL. */
export function compilePut(write: WriteContext, payload: Payload): BoundStatement {
  const { builder, plan, preferences, query, relation } = write;
  assertKeyFilter(write);
  const provided = new Set(query.columns ?? payload.keys);
  if (relation.primaryKey.some((name) => !provided.has(name))) throw createKeyMismatchError();
  const upsert: WriteContext = {
    ...write,
    query: { ...query, onConflict: [...relation.primaryKey] },
    preferences: { ...preferences, resolution: 'merge-duplicates' },
  };
  // A body with another key than the URL leaves no row, which `assertPutRow` rejects.
  return compileInsertRows(upsert, payload, () =>
    compileWhere(builder, plan, { relation, alias: 'body' }),
  );
}

export function assertPutRow({ rows }: StatementResult): void {
  if (rows !== 1) throw createKeyMismatchError();
}

function assertKeyFilter({ plan, relation: { primaryKey } }: WriteContext): void {
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
function compileInsertRows(
  write: WriteContext,
  payload: Payload,
  where: () => string,
): BoundStatement {
  const { builder } = write;
  const columns = listPayloadColumns(write, payload);
  const source = { relation: write.relation, alias: createAlias(builder) };
  const list = columns.map(({ name }) => quoteName(name)).join(', ');
  const provided = columns.map(({ name }) => `body.${quoteName(name)}`).join(', ');
  const values =
    columns.length === 0
      ? compileNoColumns(payload)
      : `(${list}) select ${provided} from ${compileInsertedRows(write, payload, columns)}${where()}`;
  const conflict = compileConflict(write, columns);
  return compileReturning(
    write,
    source,
    `insert into ${write.relation.sql} as ${source.alias} ${values}${conflict}`,
    {
      primaryKey: write.preferences.return === 'headers-only',
      updatedCount: conflict.includes(countUpdatedSql),
    },
  );
}

export function compileUpdate(write: WriteContext, payload: Payload): BoundStatement {
  const { builder, relation, plan } = write;
  if (payload.shape !== 'object')
    throw createInvalidBodyError('An update requires one JSON object');
  assertFilter('UPDATE', plan);
  const columns = listPayloadColumns(write, payload);
  const source = { relation, alias: createAlias(builder) };
  const set = columns.map(({ name }) => `${quoteName(name)} = body.${quoteName(name)}`).join(', ');
  const body = compileRecord('json_to_record', bindValue(builder, payload.text), columns);
  return compileReturning(
    write,
    source,
    `update ${relation.sql} as ${source.alias} set ${set} from ${body}${compileWhere(builder, plan, source)}`,
  );
}

export function compileDelete(write: WriteContext): BoundStatement {
  const { builder, relation, plan } = write;
  assertFilter('DELETE', plan);
  const source = { relation, alias: createAlias(builder) };
  return compileReturning(
    write,
    source,
    `delete from ${relation.sql} as ${source.alias}${compileWhere(builder, plan, source)}`,
  );
}

/** A forgotten filter would change every row that the user may change. */
function assertFilter(verb: string, plan: ReadPlan): void {
  if (plan.filters.length > 0) return;
  throw new RestError(400, '21000', `${verb} requires a WHERE clause`);
}

function listPayloadColumns(write: WriteContext, payload: Payload): Column[] {
  if (payload.shape === 'other')
    throw createInvalidBodyError('The body is not an object or a list of objects');
  const { columns } = write.query;
  if (!columns && payload.uneven) throw createInvalidBodyError('All object keys must match');
  return (columns ?? payload.keys).map((name) => {
    const column = write.relation.columns.get(name);
    if (!column) throw createUnknownWrittenColumnError(write.relation.name, name);
    return column;
  });
}

function compileNoColumns(payload: Payload): string {
  if (payload.length === 1) return 'default values';
  throw createInvalidBodyError('Inserting several rows requires at least one column');
}

/** `json_to_record($1::json) as body("id" integer, "title" text)` */
function compileRecord(reader: string, placeholder: string, columns: readonly Column[]): string {
  const types = columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(', ');
  return `${reader}(${placeholder}${reader.startsWith('jsonb') ? '' : '::json'}) as body(${types})`;
}

/** SQL of the rows to insert. With `missing=default`, missing names have their defaults. */
function compileInsertedRows(
  write: WriteContext,
  payload: Payload,
  columns: readonly Column[],
): string {
  const { builder } = write;
  const placeholder = bindValue(builder, payload.text);
  const defaults = columns.filter(({ defaultSql }) => defaultSql !== undefined);
  if (write.preferences.missing !== 'default' || defaults.length === 0) {
    const reader = payload.shape === 'object' ? 'json_to_record' : 'json_to_recordset';
    return compileRecord(reader, placeholder, columns);
  }
  const object = defaults
    .map(({ name, defaultSql }) => `${bindValue(builder, name)}::text, ${defaultSql}`)
    .join(', ');
  const list =
    payload.shape === 'object'
      ? `jsonb_build_array(${placeholder}::jsonb)`
      : `${placeholder}::jsonb`;
  const record = compileRecord('jsonb_to_record', `jsonb_build_object(${object}) || item`, columns);
  return `jsonb_array_elements(${list}) as items(item), lateral ${record}`;
}

/** Counts updated rows: always true, and only evaluated for these. */
const countUpdatedSql = `set_config('${updatedCountSetting}',
  (coalesce(nullif(current_setting('${updatedCountSetting}', true), ''), '0')::int4 + 1)::text, true) is not null`;

function compileConflict(write: WriteContext, columns: readonly Column[]): string {
  const { resolution } = write.preferences;
  if (!resolution) {
    if (!write.query.onConflict) return '';
    throw createSyntaxError(
      'on_conflict needs Prefer: resolution=merge-duplicates or ignore-duplicates',
    );
  }
  const target = (write.query.onConflict ?? write.relation.primaryKey).map((name) => {
    if (!write.relation.columns.has(name))
      throw createUnknownWrittenColumnError(write.relation.name, name);
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
