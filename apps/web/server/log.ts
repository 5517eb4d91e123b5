export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** One line per event. Nothing secret is ever given to it; names that could hold a secret are blotted out all the same. */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

const secret = /token|password|secret|cookie|authorization|apikey|e-?mail|code$/i;

/** A log that writes `time LEVEL message key=value …` lines. */
export function createLog(write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      write(`${new Date().toISOString()} ${level} ${message}${formatFields(fields)}\n`);
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

function formatFields(fields: Fields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${secret.test(name) ? '(removed)' : JSON.stringify(value)}`)
    .join('');
}
