/** Values that may stand in a log line. Never a password, token, code or e-mail address. */
export type Fields = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}
