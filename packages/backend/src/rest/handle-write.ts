import { answerPlan, answerWrite, checkSingle, contentRange } from './answer.ts';
import { explain } from './explain.ts';
import { restLimits } from './limits.ts';
import { parsePayload, readBody } from './payload.ts';
import { planRead } from './plan-read.ts';
import { listApplied, type Preferences } from './preferences.ts';
import { readCsv } from './csv-body.ts';
import { rowsType } from './request-headers.ts';
import { parseQuery, type RequestQuery } from './request-query.ts';
import type { Write } from './represent-sql.ts';
import { getRelation, type RestRequest } from './rest-request.ts';
import { RestError, syntaxError } from './rest-error.ts';
import type { Relation } from './schema.ts';
import { openDraft, type Statement } from './statement.ts';
import { runTransaction, type Result } from './transaction.ts';
import { checkPut, writeDelete, writeInsert, writePut, writeUpdate } from './write-sql.ts';

/** Handles POST, PUT, PATCH and DELETE of a relation. */
export async function handleWrite(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, facts, form, pool, preferences, request } = restRequest;
  const query = parseQuery(restRequest.params);
  assertApplicable(facts.method, query, preferences);
  const represented = preferences.return === 'representation';
  const body = facts.method === 'DELETE' ? undefined : await readBodyAsJson(request);
  const { schema, relation } = await getRelation(restRequest, name);
  const plan = planRead(schema, relation, query.node);
  const write = { draft: openDraft(), relation, query, plan, preferences, form };
  const change = compileChange(facts.method, write, body);
  const statement = change && explain(change, form, schema.settings);
  const result = statement
    ? await pool.use(caller, (session) =>
        runTransaction(session, caller, schema, facts, statement, {
          readOnly: false,
          keep: preferences.tx !== 'rollback',
          accept(made) {
            if (form.plan) return;
            if (facts.method === 'PUT') checkPut(made);
            if (represented) checkSingle(made, form);
            checkAffected(made, preferences);
          },
        }),
      )
    : { rows: 0 };
  if (form.plan) return answerPlan(result, form);
  return answerWrite(result, form, {
    status: getStatus(facts.method, represented, result),
    range: getContentRange(facts.method, result, preferences),
    applied: listApplied(preferences, [
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
function assertApplicable(method: string, query: RequestQuery, preferences: Preferences): void {
  if (query.onConflict && method !== 'POST')
    throw syntaxError('on_conflict only applies to inserts');
  if (method === 'PUT' && (query.node.limit !== undefined || query.node.offset !== undefined)) {
    throw new RestError(
      400,
      'PGRST114',
      'limit/offset querystring parameters are not allowed for PUT',
    );
  }
  if (query.columns && method === 'DELETE') throw syntaxError('columns does not apply to deletes');
  if (preferences.resolution && method !== 'POST') {
    throw syntaxError('Prefer: resolution only applies to inserts');
  }
}

/** Reads the body as JSON; CSV is converted. */
async function readBodyAsJson(request: Request): Promise<string> {
  const type = rowsType(request.headers.get('content-type'));
  const text = await readBody(request, restLimits.maxBodyBytes);
  return type === 'csv' ? readCsv(text) : text;
}

/** Undefined when there is nothing to do: an insert of no rows, an update of no columns. */
function compileChange(
  method: string,
  write: Write,
  body: string | undefined,
): Statement | undefined {
  if (body === undefined) return writeDelete(write);
  const payload = parsePayload(body);
  if (method === 'PUT') return writePut(write, payload);
  if (method === 'PATCH') {
    const isEmpty = payload.shape === 'object' && payload.keys.length === 0;
    return isEmpty && !write.query.columns ? undefined : writeUpdate(write, payload);
  }
  return payload.length === 0 && payload.shape === 'objects'
    ? undefined
    : writeInsert(write, payload);
}

export function checkAffected({ rows }: Result, { handling, maxAffected }: Preferences): void {
  if (handling !== 'strict' || maxAffected === undefined || rows <= maxAffected) return;
  throw new RestError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
    details: `The query affects ${rows} rows`,
  });
}

/** An upsert that only updated existing rows has created nothing. */
function getStatus(method: string, represented: boolean, { rows, updated }: Result): number {
  if (method === 'POST' || (method === 'PUT' && represented)) return updated === rows ? 200 : 201;
  return represented ? 200 : 204;
}

function getContentRange(method: string, { rows }: Result, { count }: Preferences): string {
  const total = count ? rows : undefined;
  return method === 'PATCH' ? contentRange(0, rows, total) : contentRange(0, 0, total);
}

/** URL of the inserted row, when requested: `/books?id=eq.5`. */
function createLocation(
  { name, primaryKey }: Relation,
  { rows, body }: Result,
): string | undefined {
  if (rows !== 1 || body === undefined) return undefined;
  const row: unknown = JSON.parse(body)[0];
  const query = primaryKey.map((key) => {
    const value: unknown = Reflect.get(Object(row), key);
    return `${encodeURIComponent(key)}=eq.${encodeURIComponent(String(value))}`;
  });
  return `/${encodeURIComponent(name)}?${query.join('&')}`;
}
