import {
  createEmptyResponse,
  createPlanResponse,
  createRowsResponse,
  createValueResponse,
  assertSingleRow,
  unwrapSingleRow,
} from './responses.ts';
import { compileCall, type CallArguments } from './sql/call-sql.ts';
import { applyExplain } from './explain.ts';
import { applyRange } from './handle-read.ts';
import { assertMaxAffected } from './handle-write.ts';
import { restLimits } from './limits.ts';
import { parsePayload, readRestBody } from './request/payload.ts';
import { selectOverload, type CallInput } from './plan/plan-call.ts';
import { planRead } from './plan/plan-read.ts';
import { formatPreferenceApplied, type RequestPreferences } from './request/preferences.ts';
import type { ReadPlan } from './plan/read-plan.ts';
import { parseCallContentType } from './request/request-headers.ts';
import { parseQuery, type RequestQuery } from './request/request-query.ts';
import { findSchema, type RestRequest } from './request/rest-request.ts';
import { RestError, createSyntaxError } from './rest-error.ts';
import { applyResponseSettings } from './response-settings.ts';
import type { DatabaseFunction, Relation } from './schema/schema.ts';
import { createStatementBuilder } from './sql/statement.ts';
import { runTransaction, type StatementResult } from './transaction.ts';

/**
 * Handles `/rpc/NAME`. POST takes the arguments from its body; GET and HEAD from the URL, in a
 * read-only transaction.
 */
export async function handleCall(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, context, format, pool, preferences } = restRequest;
  const schema = await findSchema(restRequest, ({ functions }) => functions.has(name));
  const overloads = schema.functions.get(name) ?? [];
  const { args, query } = await readArguments(restRequest, overloads);
  const called = selectOverload(schema.name, name, overloads, summarizeInput(args));
  assertApplicable(called, query, preferences);
  const plan = planRead(schema, called.rows ?? createUnknownRelation(called), query.root);
  const counted = preferences.count === 'exact';
  const statement = compileCall({
    builder: createStatementBuilder(),
    called,
    args,
    plan,
    format,
    counted,
  });
  const explained = applyExplain(statement, format, schema.settings);
  const result = await pool.use(caller, (session) =>
    runTransaction(session, caller, schema, context, explained, {
      readOnly: context.method !== 'POST' || !called.writes,
      commit: preferences.tx !== 'rollback',
      accept(outcome) {
        if (format.plan) return;
        if (called.result === 'row' || called.returnsSet) assertSingleRow(outcome, format);
        assertMaxAffected(outcome, preferences);
      },
    }),
  );
  if (format.plan) return createPlanResponse(result, format);
  return applyResponseSettings(createCallResponse(restRequest, called, plan, result), result);
}

async function readArguments(
  restRequest: RestRequest,
  overloads: readonly DatabaseFunction[],
): Promise<{ args: CallArguments; query: RequestQuery }> {
  const { request, context, params } = restRequest;
  if (context.method === 'POST') {
    const query = parseQuery(params);
    const type = parseCallContentType(request.headers.get('content-type'));
    const text = await readRestBody(request, restLimits.maxBodyBytes);
    if (type !== 'json') return { args: { from: 'raw', text, type }, query };
    return { args: { from: 'body', payload: parsePayload(text === '' ? '{}' : text) }, query };
  }
  const parameters = overloads.flatMap((overload) => overload.arguments);
  const names = new Set(parameters.map(({ name }) => name));
  const lists = new Set(parameters.filter(({ variadic }) => variadic).map(({ name }) => name));
  const query = parseQuery(params, names, lists);
  applyRange(restRequest, query.root);
  return { args: { from: 'url', values: query.args }, query };
}

function summarizeInput(args: CallArguments): CallInput {
  if (args.from === 'url') return { names: [...args.values.keys()] };
  if (args.from === 'raw') return { names: [], body: args.type };
  return { names: args.payload.keys, body: 'json' };
}

/** Rejects parameters and preferences that do not apply to the function. */
function assertApplicable(
  called: DatabaseFunction,
  { root, columns, onConflict }: RequestQuery,
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
  const isPlain = root.items.length === 1 && root.items[0]?.kind === 'all';
  const isCut = root.limit !== undefined || root.offset !== undefined;
  if (isPlain && root.filters.length === 0 && root.order.length === 0) {
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
