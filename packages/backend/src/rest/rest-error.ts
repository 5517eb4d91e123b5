/** An error with PostgREST's status and body. */
export class RestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | readonly Record<string, string>[] | null;
  readonly hint: string | null;
  /** Additional headers of the response. */
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

/**
 * Creates an error for unparsable input: an unknown operator, a missing parenthesis, an invalid
 * name.
 */
export function createSyntaxError(message: string, details?: string): RestError {
  return new RestError(400, 'PGRST100', message, { details: details ?? null });
}

/** Creates PostgreSQL's error for an unknown column: `column books.titel does not exist`. */
export function createUnknownColumnError(relation: string, column: string): RestError {
  return new RestError(400, '42703', `column ${relation}.${column} does not exist`);
}

/** Creates an error for an unknown column in a write. */
export function createUnknownWrittenColumnError(relation: string, column: string): RestError {
  const shown = column.slice(0, 100);
  return new RestError(
    400,
    'PGRST204',
    `Could not find the '${shown}' column of '${relation}' in the schema cache`,
  );
}

/** Creates an error for a filter, order or limit of a relation that `select` does not embed. */
export function createNotEmbeddedError(name: string): RestError {
  return new RestError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
}
