import type { ResponseFormat } from './response-format.ts';
import { createPlanResponse, createRowsResponse, assertSingleRow } from './responses.ts';
import { applyExplain } from './explain.ts';
import { planRead } from './plan/plan-read.ts';
import { formatPreferenceApplied } from './request/preferences.ts';
import { compileRowsAsText } from './sql/rows-as-text-sql.ts';
import type { ReadPlan } from './plan/read-plan.ts';
import { compileLimit } from './sql/conditions-sql.ts';
import { compileSelect } from './sql/read-sql.ts';
import { parseRowRange } from './request/request-headers.ts';
import { parseQuery } from './request/request-query.ts';
import { getRelation, type RestRequest } from './request/rest-request.ts';
import { createSyntaxError } from './rest-error.ts';
import type { ReadNode } from './request/select-grammar.ts';
import { createAlias, createStatementBuilder, type BoundStatement } from './sql/statement.ts';
import { runRead, runTransaction } from './transaction.ts';

/** Handles GET and HEAD of a relation. */
export async function handleRead(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, context, format, pool, preferences } = restRequest;
  const query = parseQuery(restRequest.params);
  if (query.columns || query.onConflict)
    throw createSyntaxError('columns and on_conflict only apply to writes');
  applyRange(restRequest, query.root);
  const { schema, relation } = await getRelation(restRequest, name);
  const plan = planRead(schema, relation, query.root);
  const statement = compileRead(plan, format, preferences.count === 'exact');
  const explained = applyExplain(statement, format, schema.settings);
  const result = await pool.use(caller, (session) =>
    schema.settings.preRequest === undefined
      ? runRead(session, caller, schema, context, explained)
      : runTransaction(session, caller, schema, context, explained, readOnlyOptions),
  );
  if (format.plan) return createPlanResponse(result, format);
  assertSingleRow(result, format);
  return createRowsResponse(result, format, {
    offset: plan.offset,
    head: context.method === 'HEAD',
    applied: formatPreferenceApplied(preferences, ['count', 'handling', 'timezone']),
  });
}

/**
 * The pre-request function may be a call, which `runRead` does not support (see `transaction.ts`).
 */
const readOnlyOptions = { readOnly: true, commit: true, accept() {} };

/**
 * Applies `Range: 10-19`, which is equivalent to `offset=10&limit=10`. Throws when both are sent.
 */
export function applyRange({ request, context }: RestRequest, node: ReadNode): void {
  if (context.method !== 'GET') return;
  const range = parseRowRange(request.headers.get('range'), request.headers.get('range-unit'));
  if (!range) return;
  if (node.limit !== undefined || node.offset !== undefined) {
    throw createSyntaxError(
      'The range is specified twice',
      'in the Range header and by limit or offset',
    );
  }
  node.offset = range.offset;
  if (range.limit !== undefined) node.limit = range.limit;
}

function compileRead(plan: ReadPlan, format: ResponseFormat, counted: boolean): BoundStatement {
  const builder = createStatementBuilder();
  const source = { relation: plan.relation, alias: createAlias(builder) };
  const from = `${plan.relation.sql} as ${source.alias}`;
  const { rows, conditions } = compileSelect(builder, plan, source, from);
  const total = counted ? `(select count(*) from ${from}${conditions})::int4 as total, ` : '';
  const page = rows + compileLimit(builder, plan);
  return { text: `select ${total}${compileRowsAsText(page, format)}`, values: builder.values };
}
