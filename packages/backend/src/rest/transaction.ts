import type { Row, RowList, Sql } from 'postgres';
import type { Caller } from './caller.ts';
import { restLimits } from './limits.ts';
import { isRefusal, keepPrepared, type Session } from './session-pool.ts';
import type { RestSettings, Schema } from './schema.ts';
import { checkLength, type Statement } from './statement.ts';

/** What a statement gave: counts, and the answer as JSON text where there is one. */
export interface Result {
  rows: number;
  body?: string;
  total?: number;
  /** How many rows of an upsert were there already. */
  updated?: number;
  /** What a called function set of the answer. */
  settings?: { status?: string; headers?: string };
}

/** What functions may read of the request, with `current_setting('request.method')` and so on. */
export interface RequestFacts {
  method: string;
  path: string;
  headers: string;
  /** In which dates are printed; UTC where the request names none. */
  timezone?: string;
}

/** Where names are looked for, and what is called before the statement. */
export type Place = Pick<Schema, 'searchPath'> & { settings?: Pick<RestSettings, 'preRequest'> };

const configure = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true),
  set_config('request.method', $3, true), set_config('request.path', $4, true),
  set_config('request.headers', $5, true), set_config('statement_timeout', $6, true),
  set_config('search_path', $7, true), set_config('timezone', $8, true)`;

/**
 * Runs one statement in a transaction of its own as the caller. Begin, settings and statement are
 * sent together. If one fails, those behind it fail too, since the transaction is aborted: a
 * statement never runs without the role before it. All settings are local, so nothing outlives
 * the transaction on the connection.
 *
 * `accept` looks at the result before it is kept and may throw to refuse it; then, or when `keep`
 * is false, the transaction is rolled back.
 */
export async function runTransaction(
  session: Session,
  caller: Caller,
  schema: Place,
  facts: RequestFacts,
  statement: Statement,
  end: { readOnly: boolean; keep: boolean; accept(result: Result): void },
): Promise<Result> {
  const begin = end.readOnly ? 'begin read only' : 'begin read write';
  const sent = sendOpening(session, begin, caller, schema, facts, statement);
  let last: RowList<Row[]> | undefined;
  try {
    last = await getLast(sent);
    const result = describeResult(last);
    end.accept(result);
    if (end.keep) await commit(session, last);
    else await session.sql.unsafe('rollback');
    return result;
  } catch (error) {
    // After anything else the connection is not used again, and a rollback might wait for ever.
    if (isRefusal(error)) await session.sql.unsafe('rollback');
    throw error;
  }
}

/**
 * Commits, and makes sure that it was this transaction: should the connection have broken just
 * before, the driver sends the commit on a new one, which says yes to it with nothing to commit.
 */
async function commit(session: Session, last: RowList<Row[]>): Promise<void> {
  const done = await session.sql.unsafe('commit');
  if (done.state.pid !== last.state.pid || done.command !== 'COMMIT') {
    throw new Error('the connection broke before the commit');
  }
}

/**
 * As `runTransaction`, for a statement that only reads relations: nothing is decided at the end, so
 * the commit is sent along as well. Calls never come this way: should the driver repeat a stale
 * prepared statement, it would do so behind the commit, where anon may still call functions.
 */
export async function runRead(
  session: Session,
  caller: Caller,
  schema: Place,
  facts: RequestFacts,
  statement: Statement,
): Promise<Result> {
  const sent = sendOpening(session, 'begin read only', caller, schema, facts, statement);
  const committed = settleLater(session.sql.unsafe('commit').execute());
  try {
    const last = await getLast(sent);
    await committed;
    return describeResult(last);
  } catch (error) {
    if (isRefusal(error)) await committed;
    throw error;
  }
}

type Sent = Promise<RowList<Row[]>>;

function sendOpening(
  session: Session,
  begin: string,
  caller: Caller,
  schema: Place,
  facts: RequestFacts,
  statement: Statement,
): Sent[] {
  checkLength(statement);
  const { sql } = session;
  const isKept = keepPrepared(session, statement.text);
  const settings = [
    caller.role,
    JSON.stringify(caller.claims),
    facts.method,
    facts.path,
    facts.headers,
    String(restLimits.statementTimeoutMs[caller.role]),
    schema.searchPath,
    facts.timezone ?? 'UTC',
  ];
  const before = schema.settings?.preRequest;
  return [
    sql.unsafe(begin).execute(),
    send(sql, configure, settings, true),
    ...(before === undefined ? [] : [send(sql, `select ${before}()`, [], true)]),
    send(sql, statement.text, statement.values, isKept),
  ].map(settleLater);
}

/** The type `unknown`, with which PostgreSQL takes a value for what its place needs. */
const unknownType = 705;

/**
 * Values go as text of no declared type. A driver that knew the type would convert first, and
 * fail or change the value where PostgreSQL's own reading of it is what is wanted.
 */
function send(sql: Sql, text: string, values: readonly string[], prepare: boolean): Sent {
  const parameters = values.map((value) => sql.typed(value, unknownType));
  return sql.unsafe(text, parameters, { prepare }).execute();
}

/**
 * The last result when all went well on one connection; else the first thing that failed, without
 * waiting for those behind it: when a connection breaks they may never be answered.
 */
async function getLast(sent: readonly Sent[]): Promise<RowList<Row[]>> {
  const lists = await Promise.all(sent);
  const last = lists.at(-1);
  if (!last || lists.some((list) => list.state.pid !== last.state.pid)) {
    throw new Error('the connection broke within a transaction');
  }
  return last;
}

/** For what is awaited later or not at all: its failure is then no unhandled one. */
function settleLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function describeResult(list: RowList<Row[]>): Result {
  const [row] = list;
  if (row && 'QUERY PLAN' in row) return { rows: list.length, body: planText(list) };
  const result: Result = { rows: list.count };
  if (typeof row?.['rows'] === 'number') result.rows = row['rows'];
  if (typeof row?.['body'] === 'string') result.body = row['body'];
  if (typeof row?.['total'] === 'number') result.total = row['total'];
  if (typeof row?.['updated'] === 'number') result.updated = row['updated'];
  if (row && 'headers' in row) result.settings = readSettings(row);
  return result;
}

function readSettings(row: Row): NonNullable<Result['settings']> {
  const { status, headers } = row;
  return {
    ...(typeof status === 'string' ? { status } : {}),
    ...(typeof headers === 'string' ? { headers } : {}),
  };
}

/** A plan comes as one value in JSON, or as lines. */
function planText(list: RowList<Row[]>): string {
  return list
    .map((row): unknown => row['QUERY PLAN'])
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
}
