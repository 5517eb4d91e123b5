import { RestError } from './rest-error.ts';
import type { StatementResult } from './transaction.ts';

/** Applies the status and headers that the called function set. */
export function applyResponseSettings(response: Response, { settings }: StatementResult): Response {
  if (!settings?.status && !settings?.headers) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of parseHeaders(settings.headers)) headers.append(name, value);
  const status = parseStatus(settings.status, response.status);
  // These have no body (RFC 9110, section 15).
  const body = status === 204 || status === 205 || status === 304 ? null : response.body;
  return new Response(body, { status, headers });
}

function parseStatus(status: string | undefined, fallback: number): number {
  if (!status) return fallback;
  if (/^[2-5]\d\d$/.test(status)) return Number(status);
  throw new RestError(500, 'PGRST112', 'response.status guc must be a valid status code');
}

/** `[{"cache-control": "no-store"}, {"x-a": "b"}]` */
function parseHeaders(text: string | undefined): [string, string][] {
  if (!text) return [];
  const list = parseList(text);
  return list.map((entry) => {
    const [only, ...others] = Object.entries(Object(entry));
    if (!only || others.length > 0 || typeof only[1] !== 'string')
      throw createInvalidHeadersError();
    return [only[0], only[1]];
  });
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw createInvalidHeadersError();
}

function createInvalidHeadersError(): RestError {
  return new RestError(
    500,
    'PGRST111',
    'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  );
}
