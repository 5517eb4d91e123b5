import { answerNothing, answerRows, answerValue, checkSingle, onlyRow } from './answer.ts';
import { getFunction, writeCall, type CallArguments } from './call-sql.ts';
import { applyRange } from './handle-read.ts';
import { checkAffected } from './handle-write.ts';
import { restLimits } from './limits.ts';
import { parsePayload, readBody } from './payload.ts';
import { listApplied } from './preferences.ts';
import { checkContentType } from './request-headers.ts';
import { parseQuery, type RequestQuery } from './request-query.ts';
import type { RestRequest } from './rest-request.ts';
import { syntaxError } from './rest-error.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { DatabaseFunction } from './schema.ts';
import type { SessionPool } from './session-pool.ts';
import { openDraft } from './statement.ts';
import { runTransaction, type Result } from './transaction.ts';

/**
 * `/rpc/NAME`. POST takes the arguments from its body; GET and HEAD from the address, in a
 * transaction that cannot write.
 */
export async function handleCall(
  asked: RestRequest,
  name: string,
  cache: SchemaCache,
  pool: SessionPool,
): Promise<Response> {
  const { caller, facts, form, preferences } = asked;
  const known = await cache.get();
  const schema = known.functions.has(name) ? known : await cache.getFresh();
  const overloads = schema.functions.get(name) ?? [];
  const { given, query } = await readArguments(asked, overloads);
  const names = given.from === 'body' ? given.payload.keys : [...given.values.keys()];
  const called = getFunction(name, overloads, names, given.from === 'body');
  const counted = preferences.count === 'exact';
  const reading = { schema, draft: openDraft() };
  const call = { reading, called, given, query, stripNulls: form.stripNulls, counted };
  const statement = writeCall(call);
  const result = await pool.use(caller, (session) =>
    runTransaction(session, caller, facts, statement, {
      readOnly: facts.method !== 'POST' || !called.writes,
      keep: preferences.tx !== 'rollback',
      accept(made) {
        if (called.result === 'row' || called.returnsSet) checkSingle(made, form);
        checkAffected(made, preferences);
      },
    }),
  );
  return answerCall(asked, called, query, result);
}

async function readArguments(
  asked: RestRequest,
  overloads: readonly DatabaseFunction[],
): Promise<{ given: CallArguments; query: RequestQuery }> {
  const { request, facts, params } = asked;
  if (facts.method === 'POST') {
    const query = parseQuery(params);
    checkQuery(query);
    checkContentType(request.headers.get('content-type'));
    const text = await readBody(request, restLimits.maxBodyBytes);
    const payload = parsePayload(text === '' ? '{}' : text);
    return { given: { from: 'body', payload }, query };
  }
  const names = new Set(overloads.flatMap(({ arguments: all }) => all.map((one) => one.name)));
  const query = parseQuery(params, (key) => names.has(key));
  checkQuery(query);
  applyRange(asked, query.node);
  return { given: { from: 'address', values: query.args }, query };
}

function checkQuery(query: RequestQuery): void {
  if (query.columns || query.onConflict)
    throw syntaxError('columns and on_conflict only apply to tables');
}

function answerCall(
  { facts, form, preferences }: RestRequest,
  called: DatabaseFunction,
  { node }: RequestQuery,
  result: Result,
): Response {
  const head = facts.method === 'HEAD';
  if (called.result === 'void') return answerNothing();
  const body = result.body ?? 'null';
  if (!called.returnsSet) {
    const value = called.result === 'row' ? onlyRow(body) : body;
    return answerValue(value, form.contentType, head);
  }
  return answerRows(result, form, {
    offset: node.offset ?? 0,
    head,
    applied: listApplied(preferences, ['count', 'tx', 'handling', 'maxAffected']),
  });
}
