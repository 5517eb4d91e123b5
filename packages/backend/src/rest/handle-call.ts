import {
  createEmptyResponse,
  createPlanResponse,
  createRowsResponse,
  createValueResponse,
  assertSingleRow,
  unwrapSingleRow,
} from './responses.ts';
import { compileCall, type CallArguments } from './call-sql.ts';
import { applyExplain } from './explain.ts';
import { applyRange } from './handle-read.ts';
import { assertMaxAffected } from './handle-write.ts';
import { restLimits } from './limits.ts';
import { parsePayload, readRestBody } from './payload.ts';
import { selectOverload, type CallInput } from './plan-call.ts';
import { planRead } from './plan-read.ts';
import { formatPreferenceApplied, type RequestPreferences } from './preferences.ts';
import type { ReadPlan } from './read-plan.ts';
import { parseCallContentType } from './request-headers.ts';
import { parseQuery, type RequestQuery } from './request-query.ts';
import { findSchema, type RestRequest } from './rest-request.ts';
import { RestError, createSyntaxError } from './rest-error.ts';
import { applyResponseSettings } from './response-settings.ts';
import type { DatabaseFunction, Relation } from './schema.ts';
import { createDraft } from './statement.ts';
import { runTransaction, type StatementResult } from './transaction.ts';

/**
 * Handles `/rpc/NAME`. POST takes the arguments from its body; GET and HEAD from the URL, in a
 * read-only transaction.
 */
export async function handleCall(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, context, format, pool, preferences } = restRequest;
  const schema = await findSchema(restRequest, ({ functions }) => functions.has(name));
  const overloads = schema.functions.get(name) ?? [];
  const { given, query } = await readArguments(restRequest, overloads);
  const called = selectOverload(schema.name, name, overloads, summarizeInput(given));
  assertApplicable(called, query, preferences);
  const plan = planRead(schema, called.rows ?? createUnknownRelation(called), query.node);
  const counted = preferences.count === 'exact';
  const statement = compileCall({
    draft: createDraft(),
    called,
    given,
    plan,
    form: format,
    counted,
  });
  const toRun = applyExplain(statement, format, schema.settings);
  const result = await pool.use(caller, (session) =>
    runTransaction(session, caller, schema, context, toRun, {
      readOnly: context.method !== 'POST' || !called.writes,
      keep: preferences.tx !== 'rollback',
      accept(made) {
        if (format.plan) return;
        if (called.result === 'row' || called.returnsSet) assertSingleRow(made, format);
        assertMaxAffected(made, preferences);
      },
    }),
  );
  if (format.plan) return createPlanResponse(result, format);
  return applyResponseSettings(createCallResponse(restRequest, called, plan, result), result);
}

async function readArguments(
  restRequest: RestRequest,
  overloads: readonly DatabaseFunction[],
): Promise<{ given: CallArguments; query: RequestQuery }> {
  const { request, context, params } = restRequest;
  if (context.method === 'POST') {
    const query = parseQuery(params);
    const type = parseCallContentType(request.headers.get('content-type'));
    const text = await readRestBody(request, restLimits.maxBodyBytes);
    if (type !== 'json') return { given: { from: 'raw', text, type }, query };
    return { given: { from: 'body', payload: parsePayload(text === '' ? '{}' : text) }, query };
  }
  const known = overloads.flatMap((overload) => overload.arguments);
  const names = new Set(known.map(({ name }) => name));
  const lists = new Set(known.filter(({ variadic }) => variadic).map(({ name }) => name));
  const query = parseQuery(params, names, lists);
  applyRange(restRequest, query.node);
  return { given: { from: 'address', values: query.args }, query };
}

function summarizeInput(given: CallArguments): CallInput {
  if (given.from === 'address') return { names: [...given.values.keys()] };
  if (given.from === 'raw') return { names: [], body: given.type };
  return { names: given.payload.keys, body: 'json' };
}

/** Rejects parameters and preferences that do not apply to the function. */
function assertApplicable(
  called: DatabaseFunction,
  { node, columns, onConflict }: RequestQuery,
  { handling, maxAffected }: RequestPreferences,
): void {
  if (columns || onConflict)
    throw createSyntaxError('columns and on_conflict only apply to tables');
  if (handling === 'strict' && maxAffected !== undefined && !called.returnsSet) {
    throw new RestError(
      400,
      'PGRST128',
      'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
    );
  }
  if (called.result === 'row') return;
  const isPlain = node.items.length === 1 && node.items[0]?.kind === 'all';
  const isCut = node.limit !== undefined || node.offset !== undefined;
  if (isPlain && node.filters.length === 0 && node.order.length === 0) {
    if (!isCut || called.returnsSet) return;
  }
  throw createSyntaxError(
    `The function ${called.name} does not return rows to select from, filter, order, or limit`,
  );
}

function createUnknownRelation({ name, schema, sql }: DatabaseFunction): Relation {
  return {
    name,
    schema,
    sql,
    columns: new Map(),
    primaryKey: [],
    computed: new Map(),
    relationships: [],
  };
}

function createCallResponse(
  { context, format, preferences }: RestRequest,
  called: DatabaseFunction,
  { offset }: ReadPlan,
  result: StatementResult,
): Response {
  const head = context.method === 'HEAD';
  const counted = preferences.count === 'exact';
  if (called.result === 'void') return createEmptyResponse(counted);
  const body = result.body ?? 'null';
  if (!called.returnsSet) {
    const value = called.result === 'row' && format.kind === 'json' ? unwrapSingleRow(body) : body;
    return createValueResponse(value, format.contentType, { head, counted });
  }
  return createRowsResponse(result, format, {
    offset,
    head,
    applied: formatPreferenceApplied(preferences, [
      'count',
      'tx',
      'handling',
      'maxAffected',
      'timezone',
    ]),
  });
}
