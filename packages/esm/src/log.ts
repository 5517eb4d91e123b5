/** Where the package server says what happened. Fields never hold tokens or what people wrote. */
export interface PackageLog {
  info(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  warn(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  error(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
}

/** What may be logged of an error: its kind, code and place. Its message could quote people. */
export function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const place = /^\s+at .*$/m.exec(error.stack ?? '')?.[0].trim() ?? '';
  return `${error.name}${code} ${place}`.trim();
}
