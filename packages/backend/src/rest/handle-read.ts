import { answerRows, checkSingle } from './answer.ts';
import { listApplied } from './preferences.ts';
import { cutSql, printRows, writeRows } from './read-sql.ts';
import { parseRange } from './request-headers.ts';
import { parseQuery } from './request-query.ts';
import { getRelation, type RestRequest } from './rest-request.ts';
import { syntaxError } from './rest-error.ts';
import type { SchemaCache } from './schema-cache.ts';
import type { Relation, Schema } from './schema.ts';
import type { ReadNode } from './select-grammar.ts';
import type { SessionPool } from './session-pool.ts';
import { newAlias, openDraft, type Statement } from './statement.ts';
import { runRead } from './transaction.ts';

/** GET and HEAD of a relation. */
export async function handleRead(
  asked: RestRequest,
  name: string,
  cache: SchemaCache,
  pool: SessionPool,
): Promise<Response> {
  const query = parseQuery(asked.params);
  if (query.columns || query.onConflict)
    throw syntaxError('columns and on_conflict only apply to writes');
  const { node } = query;
  applyRange(asked, node);
  const { schema, relation } = await getRelation(cache, name);
  const counted = asked.preferences.count === 'exact';
  const statement = writeRead(schema, relation, node, counted, asked.form.stripNulls);
  const { caller, facts } = asked;
  const result = await pool.use(caller, (session) => runRead(session, caller, facts, statement));
  checkSingle(result, asked.form);
  return answerRows(result, asked.form, {
    offset: node.offset ?? 0,
    head: facts.method === 'HEAD',
    applied: listApplied(asked.preferences, ['count', 'handling']),
  });
}

/** `Range: 10-19` is another way to say `offset=10&limit=10`, so both together are refused. */
export function applyRange({ request, facts }: RestRequest, node: ReadNode): void {
  if (facts.method !== 'GET') return;
  const range = parseRange(request.headers.get('range'), request.headers.get('range-unit'));
  if (!range) return;
  if (node.limit !== undefined || node.offset !== undefined) {
    throw syntaxError('The page is given twice', 'in the Range header and by limit or offset');
  }
  node.offset = range.offset;
  if (range.limit !== undefined) node.limit = range.limit;
}

function writeRead(
  schema: Schema,
  relation: Relation,
  node: ReadNode,
  counted: boolean,
  stripNulls: boolean,
): Statement {
  const draft = openDraft();
  const reading = { schema, draft };
  const source = { relation, alias: newAlias(draft) };
  const from = `${relation.sql} as ${source.alias}`;
  const { rows, conditions } = writeRows(reading, node, source, from);
  const total = counted ? `(select count(*) from ${from}${conditions})::int4 as total, ` : '';
  const page = rows + cutSql(reading, node);
  return { text: `select ${total}${printRows(page, stripNulls)}`, values: draft.values };
}
