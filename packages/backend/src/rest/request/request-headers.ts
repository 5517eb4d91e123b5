import { RestError, createSyntaxError } from '../rest-error.ts';

/** Type of a body of rows; throws for others. */
export function parseRowsContentType(header: string | null): 'json' | 'csv' {
  const type = (header ?? 'application/json').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return 'json';
  if (type === 'text/csv') return 'csv';
  throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${type?.slice(0, 100)}`);
}

const bodyTypes: Readonly<Record<string, 'json' | 'text' | 'xml' | 'bytea'>> = {
  'application/json': 'json',
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytea',
};

/** Argument type of a call's body. */
export function parseCallContentType(header: string | null): 'json' | 'text' | 'xml' | 'bytea' {
  const type = (header ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
  const found = Object.hasOwn(bodyTypes, type) ? bodyTypes[type] : undefined;
  if (found) return found;
  throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${type.slice(0, 100)}`);
}

/** Parses `Range: 10-19`: 10 rows from row 10; `10-`: all from row 10. */
export function parseRowRange(
  range: string | null,
  unit: string | null,
): { offset: number; limit?: number } | undefined {
  if (unit !== null && unit !== 'items') {
    throw createSyntaxError('The Range-Unit header is invalid', 'expected items');
  }
  if (range === null) return undefined;
  const [, first, last] = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(range.trim()) ?? [];
  if (first === undefined) {
    throw createSyntaxError('The Range header is invalid', 'expected two row numbers');
  }
  if (last === undefined) return { offset: Number(first) };
  if (Number(last) < Number(first)) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details:
        'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    });
  }
  return { offset: Number(first), limit: Number(last) - Number(first) + 1 };
}

/** Headers that functions can read with `current_setting('request.headers')`: never credentials. */
const shownHeaders = [
  'user-agent',
  'x-client-info',
  'origin',
  'accept-language',
  'x-request-id',
  'traceparent',
  'tracestate',
  'baggage',
];

export function formatVisibleHeaders(headers: Headers): string {
  const shown: Record<string, string> = {};
  for (const name of shownHeaders) {
    const value = headers.get(name);
    if (value !== null) shown[name] = value;
  }
  return JSON.stringify(shown);
}
