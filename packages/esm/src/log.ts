/** Log of the package server. Fields never contain tokens or user content. */
export interface PackageLog {
  info(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  warn(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
  error(message: string, fields?: Readonly<Record<string, string | number | boolean>>): void;
}

/**
 * Loggable description of an error: its name, code and first stack frame. The message is left out,
 * because it could quote user content.
 */
export function describeReason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const frame = /^\s+at .*$/m.exec(error.stack ?? '')?.[0].trim() ?? '';
  return `${error.name}${code} ${frame}`.trim();
}
