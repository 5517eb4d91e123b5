import type { AnswerForm } from './answer-form.ts';

/**
 * Rows as one text, and how many there are. (`r.*` is the row; a bare `r` would be the column of
 * that name, if a request has given one that name.) `more` are further columns of the same select.
 */
export function printRows(rows: string, form: AnswerForm, more = ''): string {
  const body = form.kind === 'csv' ? csvBody : json(form);
  return `${body} as body, count(*)::int4 as rows${more} from (${rows}) r`;
}

function json({ stripNulls }: AnswerForm): string {
  const list = `coalesce(json_agg(r.*), '[]')`;
  return stripNulls ? `json_strip_nulls(${list})::text` : `${list}::text`;
}

/** The first row's names; then each row as PostgreSQL writes a record, without the brackets. */
export const csvBody = `coalesce((
  select string_agg(case when k ~ '[",\\n]' then '"' || replace(k, '"', '""') || '"' else k end, ',')
  from json_object_keys((array_agg(row_to_json(r.*)))[1]) k
) || chr(10) || string_agg(substr((r.*)::text, 2, length((r.*)::text) - 2), chr(10)), '')`;
