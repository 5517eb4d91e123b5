import postgres from 'postgres';
import type { DatabaseRole } from './caller.ts';
import { parseRaisedError } from './raised-error.ts';
import { RestError } from './rest-error.ts';

/** Status of the `SQLSTATE` classes for which it is not 400, as in PostgREST. */
const statusByClass: Record<string, number> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 503, // deadlock, serialization: may succeed on retry, so not PostgREST's 500
  '53': 503,
  '54': 413,
  '55': 500,
  '57': 503, // shutting down
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
};

const statusByCode: Record<string, number> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  '57014': 504,
  P0001: 400,
};

function getStatus(code: string, role: DatabaseRole): number {
  if (code === '42501') return role === 'anon' ? 401 : 403;
  const custom = /^PT([1-5]\d\d)$/.exec(code);
  if (custom) return Number(custom[1]);
  return statusByCode[code] ?? statusByClass[code.slice(0, 2)] ?? 400;
}

/**
 * Maps an error of PostgreSQL or of the connection to the caller's error. Errors with status 500
 * and above keep their code and lose their message, which may contain files, statements or
 * addresses; the log has it.
 */
export function mapRestDatabaseError(error: unknown, role: DatabaseRole): RestError {
  if (!(error instanceof postgres.PostgresError)) {
    return new RestError(503, 'PGRST001', 'The database cannot be reached', { cause: error });
  }
  if (error.code === 'PGRST') return parseRaisedError(error);
  const status = getStatus(error.code, role);
  if (status === 504) {
    return new RestError(504, error.code, 'canceling statement due to statement timeout', {
      cause: error,
    });
  }
  if (status >= 500 && !error.code.startsWith('PT')) {
    return new RestError(status, error.code, 'The database reported an error', { cause: error });
  }
  return new RestError(status, error.code, error.message, {
    details: error.detail ?? null,
    hint: error.hint ?? null,
    cause: error,
  });
}
