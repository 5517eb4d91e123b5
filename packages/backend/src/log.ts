/** Values allowed in a log line. Never a password, token, code or email address. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Logs events, one line each. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/**
 * Describes an error for the log: name, code and where it was thrown. Never its message, which may
 * quote user input.
 */
export function describeErrorForLog(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const location = /^\s+at .*$/m.exec(error.stack ?? '')?.[0].trim() ?? '';
  return `${error.name}${code} ${location}`.trim();
}
