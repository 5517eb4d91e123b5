import { isRecord } from '@vitrine/project';
import type { PostgresError } from 'postgres';
import { RestError } from './rest-error.ts';

/**
 * Parses an error that a function raised with the SQLSTATE `PGRST`: the body as JSON in its
 * message, the status and headers in its detail.
 *
 *   raise sqlstate 'PGRST' using message = '{"code":"123","message":"No"}', detail =
 * '{"status":402,"headers":{}}'
 */
export function parseRaisedError(error: PostgresError): RestError {
  const body = parseObject(error.message);
  const detail = parseObject(error.detail ?? '');
  const status = detail?.['status'];
  const headers = detail?.['headers'] ?? {};
  const isStatus = typeof status === 'number' && Number.isInteger(status);
  if (!body || !isStatus || status < 200 || status > 599 || !isStringRecord(headers)) {
    return new RestError(
      500,
      'PGRST121',
      'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error',
      {
        hint: 'MESSAGE and DETAIL must be JSON objects with the keys that PostgREST documents.',
        cause: error,
      },
    );
  }
  const text = (name: string) => (typeof body[name] === 'string' ? body[name] : null);
  return new RestError(status, text('code') ?? '', text('message') ?? '', {
    details: text('details'),
    hint: text('hint'),
    headers,
    cause: error,
  });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((one) => typeof one === 'string');
}
