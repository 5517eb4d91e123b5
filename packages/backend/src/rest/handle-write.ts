import {
  createPlanResponse,
  createWriteResponse,
  assertSingleRow,
  formatContentRange,
} from './responses.ts';
import { applyExplain } from './explain.ts';
import { restLimits } from './limits.ts';
import { parsePayload, readRestBody } from './request/payload.ts';
import { planRead } from './plan/plan-read.ts';
import { formatPreferenceApplied, type RequestPreferences } from './request/preferences.ts';
import { convertCsvToJson } from './request/csv-body.ts';
import { parseRowsContentType } from './request/request-headers.ts';
import { parseQuery, type RequestQuery } from './request/request-query.ts';
import type { WriteContext } from './sql/returning-sql.ts';
import { getRelation, type RestRequest } from './request/rest-request.ts';
import { RestError, createSyntaxError } from './rest-error.ts';
import type { Relation } from './schema/schema.ts';
import { createStatementBuilder, type BoundStatement } from './sql/statement.ts';
import { runTransaction, type StatementResult } from './transaction.ts';
import {
  assertPutRow,
  compileDelete,
  compileInsert,
  compilePut,
  compileUpdate,
} from './sql/write-sql.ts';

/** Handles POST, PUT, PATCH and DELETE of a relation. */
export async function handleWrite(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, context, format, pool, preferences, request } = restRequest;
  const query = parseQuery(restRequest.params);
  assertApplicable(context.method, query, preferences);
  const represented = preferences.return === 'representation';
  const body = context.method === 'DELETE' ? undefined : await readBodyAsJson(request);
  const { schema, relation } = await getRelation(restRequest, name);
  const plan = planRead(schema, relation, query.root);
  const write = { builder: createStatementBuilder(), relation, query, plan, preferences, format };
  const writeStatement = compileWrite(context.method, write, body);
  const statement = writeStatement && applyExplain(writeStatement, format, schema.settings);
  const result = statement
    ? await pool.use(caller, (session) =>
        runTransaction(session, caller, schema, context, statement, {
          readOnly: false,
          commit: preferences.tx !== 'rollback',
          accept(outcome) {
            if (format.plan) return;
            if (context.method === 'PUT') assertPutRow(outcome);
            if (represented) assertSingleRow(outcome, format);
            assertMaxAffected(outcome, preferences);
          },
        }),
      )
    : { rows: 0 };
  if (format.plan) return createPlanResponse(result, format);
  return createWriteResponse(result, format, {
    status: getStatus(context.method, represented, result),
    range: getContentRange(context.method, result, preferences),
    applied: formatPreferenceApplied(preferences, [
      'resolution',
      'missing',
      'return',
      'count',
      'tx',
      'handling',
      'maxAffected',
      'timezone',
    ]),
    represented,
    location: preferences.return === 'headers-only' ? createLocation(relation, result) : undefined,
  });
}

/** Rejects parameters and preferences that do not apply to the method. */
function assertApplicable(
  method: string,
  query: RequestQuery,
  preferences: RequestPreferences,
): void {
  if (query.onConflict && method !== 'POST')
    throw createSyntaxError('on_conflict only applies to inserts');
  if (method === 'PUT' && (query.root.limit !== undefined || query.root.offset !== undefined)) {
    throw new RestError(
      400,
      'PGRST114',
      'limit/offset querystring parameters are not allowed for PUT',
    );
  }
  if (query.columns && method === 'DELETE')
    throw createSyntaxError('columns does not apply to deletes');
  if (preferences.resolution && method !== 'POST') {
    throw createSyntaxError('Prefer: resolution only applies to inserts');
  }
}

/** Reads the body as JSON; CSV is converted. */
async function readBodyAsJson(request: Request): Promise<string> {
  const type = parseRowsContentType(request.headers.get('content-type'));
  const text = await readRestBody(request, restLimits.maxBodyBytes);
  return type === 'csv' ? convertCsvToJson(text) : text;
}

/** Undefined when there is nothing to do: an insert of no rows, an update of no columns. */
function compileWrite(
  method: string,
  write: WriteContext,
  body: string | undefined,
): BoundStatement | undefined {
  if (body === undefined) return compileDelete(write);
  const payload = parsePayload(body);
  if (method === 'PUT') return compilePut(write, payload);
  if (method === 'PATCH') {
    const isEmpty = payload.shape === 'object' && payload.keys.length === 0;
    return isEmpty && !write.query.columns ? undefined : compileUpdate(write, payload);
  }
  return payload.length === 0 && payload.shape === 'objects'
    ? undefined
    : compileInsert(write, payload);
}

export function assertMaxAffected(
  { rows }: StatementResult,
  { handling, maxAffected }: RequestPreferences,
): void {
  if (handling !== 'strict' || maxAffected === undefined || rows <= maxAffected) return;
  throw new RestError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
    details: `The query affects ${rows} rows`,
  });
}

/** An upsert that only updated existing rows has created nothing. */
function getStatus(
  method: string,
  represented: boolean,
  { rows, updated }: StatementResult,
): number {
  if (method === 'POST' || (method === 'PUT' && represented)) return updated === rows ? 200 : 201;
  return represented ? 200 : 204;
}

function getContentRange(
  method: string,
  { rows }: StatementResult,
  { count }: RequestPreferences,
): string {
  const total = count ? rows : undefined;
  return method === 'PATCH' ? formatContentRange(0, rows, total) : formatContentRange(0, 0, total);
}

/** URL of the inserted row, when requested: `/books?id=eq.5`. */
function createLocation(
  { name, primaryKey }: Relation,
  { rows, body }: StatementResult,
): string | undefined {
  if (rows !== 1 || body === undefined) return undefined;
  const row: unknown = JSON.parse(body)[0];
  const query = primaryKey.map((key) => {
    const value: unknown = Reflect.get(Object(row), key);
    return `${encodeURIComponent(key)}=eq.${encodeURIComponent(String(value))}`;
  });
  return `/${encodeURIComponent(name)}?${query.join('&')}`;
}
