import type { ResponseFormat } from './response-format.ts';
import { RestError } from './rest-error.ts';
import type { StatementResult } from './transaction.ts';

/** Formats `0-19/120`: the rows in the response and, when counted, the total. */
export function formatContentRange(
  offset: number,
  rows: number,
  total: number | undefined,
): string {
  const shown = total === undefined ? '*' : String(total);
  return rows > 0 && total !== 0 ? `${offset}-${offset + rows - 1}/${shown}` : `*/${shown}`;
}

/** Responds with a page of rows: 206 when there are more, 416 when it starts beyond the last. */
export function createRowsResponse(
  result: StatementResult,
  format: ResponseFormat,
  options: { offset: number; head: boolean; applied: string | undefined },
): Response {
  const { offset } = options;
  const { rows, total } = result;
  if (total !== undefined && offset > total) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details: `An offset of ${offset} was requested, but there are only ${total} rows.`,
    });
  }
  const status = total !== undefined && rows < total ? 206 : 200;
  const headers: Record<string, string> = {
    'content-type': format.contentType,
    'content-range': formatContentRange(offset, rows, total),
  };
  if (options.applied) headers['preference-applied'] = options.applied;
  return new Response(options.head ? null : getBody(result, format), { status, headers });
}

/** Responds to a write: with its rows when requested, otherwise without a body. */
export function createWriteResponse(
  result: StatementResult,
  format: ResponseFormat,
  options: {
    status: number;
    range: string;
    applied: string | undefined;
    represented: boolean;
    location: string | undefined;
  },
): Response {
  const headers: Record<string, string> = { 'content-range': options.range };
  if (options.applied) headers['preference-applied'] = options.applied;
  if (options.location) headers['location'] = options.location;
  if (!options.represented) {
    if (options.status !== 204) headers['content-length'] = '0';
    return new Response(null, { status: options.status, headers });
  }
  headers['content-type'] = format.contentType;
  return new Response(getBody(result, format), { status: options.status, headers });
}

/** Responds with a function's value or single row, as printed by PostgreSQL. */
export function createValueResponse(
  body: string,
  contentType: string,
  { head, counted }: { head: boolean; counted: boolean },
): Response {
  const headers = { 'content-type': contentType, 'content-range': `0-0/${counted ? 1 : '*'}` };
  return new Response(head ? null : body, { status: 200, headers });
}

export function createEmptyResponse(counted: boolean): Response {
  const headers = { 'content-range': `0-0/${counted ? 1 : '*'}` };
  return new Response(null, { status: 204, headers });
}

export function createPlanResponse(result: StatementResult, format: ResponseFormat): Response {
  return new Response(result.body ?? '', { headers: { 'content-type': format.contentType } });
}

function getBody(result: StatementResult, format: ResponseFormat): string {
  const list = result.body ?? (format.kind === 'csv' ? '' : '[]');
  return format.single ? unwrapSingleRow(list) : list;
}

/** `[{"id":1}]` → `{"id":1}` */
export function unwrapSingleRow(list: string): string {
  return list.slice(list.indexOf('[') + 1, list.lastIndexOf(']'));
}

/** Throws unless there is exactly one row, when one object was requested. */
export function assertSingleRow(result: StatementResult, format: ResponseFormat): void {
  if (!format.single || result.rows === 1) return;
  throw new RestError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${result.rows} rows`,
  });
}

export function createRestErrorResponse(error: RestError, head: boolean): Response {
  const headers: Record<string, string> = { 'content-type': 'application/json; charset=utf-8' };
  if (error.status === 401) headers['www-authenticate'] = 'Bearer';
  for (const [name, value] of Object.entries(error.headers)) headers[name] = value;
  const { code, details, hint, message } = error;
  const body = head ? null : JSON.stringify({ code, details, hint, message });
  return new Response(body, { status: error.status, headers });
}
