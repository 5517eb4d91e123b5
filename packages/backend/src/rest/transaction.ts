import type { Row, RowList, Sql } from 'postgres';
import type { Caller } from './caller.ts';
import { restLimits } from './limits.ts';
import { isStatementError, trackPrepared, type PooledSession } from './session-pool.ts';
import type { RestSettings, Schema } from './schema/schema.ts';
import { checkLength, type BoundStatement } from './sql/statement.ts';

/** Result of a statement: counts, and the JSON body of the response. */
export interface StatementResult {
  rows: number;
  body?: string;
  total?: number;
  /** Number of rows that an upsert updated. */
  updated?: number;
  /** Status and headers that a called function set. */
  settings?: { status?: string; headers?: string };
}

/** Request data that functions can read, with `current_setting('request.method')` and so on. */
export interface RestRequestContext {
  method: string;
  path: string;
  headers: string;
  /** Time zone for formatting timestamps; UTC by default. */
  timezone?: string;
}

/** Search path of a statement, and the function to call before it. */
type StatementScope = Pick<Schema, 'searchPath'> & {
  settings?: Pick<RestSettings, 'preRequest'>;
};

const configureSql = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
  set_config('request.method', $3, true), set_config('request.path', $4, true),
  set_config('request.headers', $5, true), set_config('statement_timeout', $6, true),
  set_config('search_path', $7, true), set_config('timezone', $8, true)`;

/**
 * Runs one statement in a transaction as the caller. Begin, settings and statement are sent
 * together. If one fails, the following ones fail too, since the transaction is aborted: a
 * statement never runs without the role before it. All settings are local, so nothing outlives the
 * transaction on the connection.
 *
 * `accept` checks the result before the commit and may throw to reject it; then, or when `commit` is
 * false, the transaction is rolled back.
 */
export async function runTransaction(
  session: PooledSession,
  caller: Caller,
  schema: StatementScope,
  context: RestRequestContext,
  statement: BoundStatement,
  options: { readOnly: boolean; commit: boolean; accept(result: StatementResult): void },
): Promise<StatementResult> {
  const begin = options.readOnly ? 'begin read only' : 'begin read write';
  const sent = sendTransaction(session, begin, caller, schema, context, statement);
  let last: RowList<Row[]> | undefined;
  try {
    last = await awaitLastResult(sent);
    const result = describeResult(last);
    options.accept(result);
    if (options.commit) await commitTransaction(session, last);
    else await session.sql.unsafe('rollback');
    return result;
  } catch (error) {
    // After other errors the connection is not reused, and a rollback might wait forever.
    if (isStatementError(error)) await session.sql.unsafe('rollback');
    throw error;
  }
}

/**
 * Commits, and verifies that it was this transaction: if the connection broke just before, the
 * driver sends the commit on a new one, where it succeeds without committing anything.
 */
async function commitTransaction(session: PooledSession, last: RowList<Row[]>): Promise<void> {
  const done = await session.sql.unsafe('commit');
  if (done.state.pid !== last.state.pid || done.command !== 'COMMIT') {
    throw new Error('the connection broke before the commit');
  }
}

/**
 * Runs a statement that only reads relations. Unlike in `runTransaction` there is nothing to check,
 * so the commit is sent along. Not for calls: when the driver repeats a stale prepared statement,
 * it does so after the commit, where anon may still call functions.
 */
export async function runRead(
  session: PooledSession,
  caller: Caller,
  schema: StatementScope,
  context: RestRequestContext,
  statement: BoundStatement,
): Promise<StatementResult> {
  const sent = sendTransaction(session, 'begin read only', caller, schema, context, statement);
  const committed = ignoreRejection(session.sql.unsafe('commit').execute());
  try {
    const last = await awaitLastResult(sent);
    await committed;
    return describeResult(last);
  } catch (error) {
    if (isStatementError(error)) await committed;
    throw error;
  }
}

type SentQuery = Promise<RowList<Row[]>>;

function sendTransaction(
  session: PooledSession,
  begin: string,
  caller: Caller,
  schema: StatementScope,
  context: RestRequestContext,
  statement: BoundStatement,
): SentQuery[] {
  checkLength(statement);
  const { sql } = session;
  const isKept = trackPrepared(session, statement.text);
  const settings = [
    caller.role,
    JSON.stringify(caller.claims),
    context.method,
    context.path,
    context.headers,
    String(restLimits.statementTimeoutMs[caller.role]),
    schema.searchPath,
    context.timezone ?? 'UTC',
  ];
  const before = schema.settings?.preRequest;
  return [
    sql.unsafe(begin).execute(),
    send(sql, configureSql, settings, true),
    ...(before === undefined ? [] : [send(sql, `select ${before}()`, [], true)]),
    send(sql, statement.text, statement.values, isKept),
  ].map(ignoreRejection);
}

/**
 * Oid of the type `unknown`, whose values PostgreSQL converts to the type their context requires.
 */
const unknownType = 705;

/**
 * Sends values as text without a type. A driver that knew the type would convert them first, and
 * fail or change values that PostgreSQL would parse itself.
 */
function send(sql: Sql, text: string, values: readonly string[], prepare: boolean): SentQuery {
  const parameters = values.map((value) => sql.typed(value, unknownType));
  return sql.unsafe(text, parameters, { prepare }).execute();
}

/**
 * Returns the last result if all succeeded on one connection; otherwise throws the first error
 * without waiting for the rest: when a connection breaks, they may never be answered.
 */
async function awaitLastResult(sent: readonly SentQuery[]): Promise<RowList<Row[]>> {
  const lists = await Promise.all(sent);
  const last = lists.at(-1);
  if (!last || lists.some((list) => list.state.pid !== last.state.pid)) {
    throw new Error('the connection broke within a transaction');
  }
  return last;
}

/** Prevents an unhandled rejection of a promise that is awaited later or not at all. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function describeResult(list: RowList<Row[]>): StatementResult {
  const [row] = list;
  if (row && 'QUERY PLAN' in row) return { rows: list.length, body: formatPlan(list) };
  const result: StatementResult = { rows: list.count };
  if (typeof row?.['rows'] === 'number') result.rows = row['rows'];
  if (typeof row?.['body'] === 'string') result.body = row['body'];
  if (typeof row?.['total'] === 'number') result.total = row['total'];
  if (typeof row?.['updated'] === 'number') result.updated = row['updated'];
  if (row && 'headers' in row) result.settings = readSettings(row);
  return result;
}

function readSettings(row: Row): NonNullable<StatementResult['settings']> {
  const { status, headers } = row;
  return {
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof headers === 'string' ? { headers } : {}),
  };
}

/** A plan is one value in JSON, or lines of text. */
function formatPlan(list: RowList<Row[]>): string {
  return list
    .map((row): unknown => row['QUERY PLAN'])
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
}
