import postgres from 'postgres';
import type { Role } from './caller.ts';
import { readRaised } from './raised-error.ts';

/** A refusal, with the status and the body that PostgREST gives for it. */
export class RestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | readonly Record<string, string>[] | null;
  readonly hint: string | null;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      details?: RestError['details'];
      hint?: string | null;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = status;
    this.code = code;
    this.details = more.details ?? null;
    this.hint = more.hint ?? null;
    this.headers = more.headers ?? {};
  }
}

/** What the caller sent cannot be read: an unknown operator, a missing bracket, a bad name. */
export function syntaxError(message: string, details?: string): RestError {
  return new RestError(400, 'PGRST100', message, { details: details ?? null });
}

/** `column books.titel does not exist`, as PostgreSQL words it. */
export function unknownColumn(relation: string, column: string): RestError {
  return new RestError(400, '42703', `column ${relation}.${column} does not exist`);
}

/** A column that a write names. */
export function unknownWrittenColumn(relation: string, column: string): RestError {
  const shown = column.slice(0, 100);
  return new RestError(
    400,
    'PGRST204',
    `Could not find the '${shown}' column of '${relation}' in the schema cache`,
  );
}

/** A filter, an order or a page for something that `select` does not embed. */
export function notEmbedded(name: string): RestError {
  return new RestError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}

/** Every `SQLSTATE` class whose status is not 400, as PostgREST maps them. */
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
  '40': 503, // deadlock, serialization: worth another try, unlike PostgREST's 500
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

function statusOf(code: string, role: Role): number {
  if (code === '42501') return role === 'anon' ? 401 : 403;
  const custom = /^PT([1-5]\d\d)$/.exec(code);
  if (custom) return Number(custom[1]);
  return statusByCode[code] ?? statusByClass[code.slice(0, 2)] ?? 400;
}

/**
 * The refusal a caller sees for what PostgreSQL or the connection to it reported. Faults that are
 * ours or the server's (status 500 and above) keep their code and lose their words, which may name
 * files, statements or addresses; the log has them.
 */
export function describeDatabaseError(error: unknown, role: Role): RestError {
  if (!(error instanceof postgres.PostgresError)) {
    return new RestError(503, 'PGRST001', 'The database cannot be reached', { cause: error });
  }
  if (error.code === 'PGRST') return readRaised(error);
  const status = statusOf(error.code, role);
  if (status === 504) {
    return new RestError(504, error.code, 'canceling statement due to statement timeout', {
      cause: error,
    });
  }
  if (status >= 500 && !error.code.startsWith('PT')) {
    return new RestError(status, error.code, 'The database could not answer', { cause: error });
  }
  return new RestError(status, error.code, error.message, {
    details: error.detail ?? null,
    hint: error.hint ?? null,
    cause: error,
  });
}
