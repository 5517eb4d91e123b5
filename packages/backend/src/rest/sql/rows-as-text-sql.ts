import type { ResponseFormat } from '../response-format.ts';

/**
 * Selects rows as one text, with their number. (`r.*` is the row; a bare `r` could be a column of
 * that name.) `extraColumns` is SQL that follows the select list, with a leading comma.
 */
export function compileRowsAsText(rows: string, format: ResponseFormat, extraColumns = ''): string {
  const body = format.kind === 'csv' ? csvBody : compileJsonRows(format);
  return `${body} as body, count(*)::int4 as rows${extraColumns} from (${rows}) r`;
}

function compileJsonRows({ stripNulls }: ResponseFormat): string {
  const list = `coalesce(json_agg(r.*), '[]')`;
  return stripNulls ? `json_strip_nulls(${list})::text` : `${list}::text`;
}

/**
 * Selects rows as CSV: the names of the first row, then each row as PostgreSQL formats a record,
 * without the parentheses.
 */
export const csvBody = `coalesce((
  select string_agg(case when k ~ '[",\\n]' then '"' || replace(k, '"', '""') || '"' else k end, ',')
  from json_object_keys((array_agg(row_to_json(r.*)))[1]) k
) || chr(10) || string_agg(substr((r.*)::text, 2, length((r.*)::text) - 2), chr(10)), '')`;
