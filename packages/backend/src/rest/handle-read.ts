import type { AnswerForm } from './answer-form.ts';
import { answerPlan, answerRows, checkSingle } from './answer.ts';
import { explain } from './explain.ts';
import { planRead } from './plan-read.ts';
import { listApplied } from './preferences.ts';
import { printRows } from './print-sql.ts';
import type { ReadPlan } from './read-plan.ts';
import { cutSql } from './conditions-sql.ts';
import { writeRows } from './read-sql.ts';
import { parseRange } from './request-headers.ts';
import { parseQuery } from './request-query.ts';
import { getRelation, type RestRequest } from './rest-request.ts';
import { syntaxError } from './rest-error.ts';
import type { ReadNode } from './select-grammar.ts';
import { newAlias, openDraft, type Statement } from './statement.ts';
import { runRead, runTransaction } from './transaction.ts';

/** Handles GET and HEAD of a relation. */
export async function handleRead(restRequest: RestRequest, name: string): Promise<Response> {
  const { caller, facts, form, pool, preferences } = restRequest;
  const query = parseQuery(restRequest.params);
  if (query.columns || query.onConflict)
    throw syntaxError('columns and on_conflict only apply to writes');
  applyRange(restRequest, query.node);
  const { schema, relation } = await getRelation(restRequest, name);
  const plan = planRead(schema, relation, query.node);
  const statement = compileRead(plan, form, preferences.count === 'exact');
  const toRun = explain(statement, form, schema.settings);
  const result = await pool.use(caller, (session) =>
    schema.settings.preRequest === undefined
      ? runRead(session, caller, schema, facts, toRun)
      : runTransaction(session, caller, schema, facts, toRun, readOnlyOptions),
  );
  if (form.plan) return answerPlan(result, form);
  checkSingle(result, form);
  return answerRows(result, form, {
    offset: plan.offset,
    head: facts.method === 'HEAD',
    applied: listApplied(preferences, ['count', 'handling', 'timezone']),
  });
}

/**
 * The pre-request function may be a call, which `runRead` does not support (see `transaction.ts`).
 */
const readOnlyOptions = { readOnly: true, keep: true, accept() {} };

/**
 * Applies `Range: 10-19`, which is equivalent to `offset=10&limit=10`. Throws when both are sent.
 */
export function applyRange({ request, facts }: RestRequest, node: ReadNode): void {
  if (facts.method !== 'GET') return;
  const range = parseRange(request.headers.get('range'), request.headers.get('range-unit'));
  if (!range) return;
  if (node.limit !== undefined || node.offset !== undefined) {
    throw syntaxError('The range is specified twice', 'in the Range header and by limit or offset');
  }
  node.offset = range.offset;
  if (range.limit !== undefined) node.limit = range.limit;
}

function compileRead(plan: ReadPlan, form: AnswerForm, counted: boolean): Statement {
  const draft = openDraft();
  const source = { relation: plan.relation, alias: newAlias(draft) };
  const from = `${plan.relation.sql} as ${source.alias}`;
  const { rows, conditions } = writeRows(draft, plan, source, from);
  const total = counted ? `(select count(*) from ${from}${conditions})::int4 as total, ` : '';
  const page = rows + cutSql(draft, plan);
  return { text: `select ${total}${printRows(page, form)}`, values: draft.values };
}
