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

/** The same, for programs to read: an object in JSON a line, with `time`, `level` and `message`. */
export function createJsonLog(write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      write(
        `${JSON.stringify({ time: new Date().toISOString(), level, message, ...blot(fields) })}\n`,
      );
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Says everything to both. */
export function joinLogs(first: Log, second: Log): Log {
  const both =
    (level: keyof Log): Log['info'] =>
    (message, fields) => {
      first[level](message, fields);
      second[level](message, fields);
    };
  return { info: both('info'), warn: both('warn'), error: both('error') };
}

function blot(fields: Fields): Fields {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secret.test(name) ? '(removed)' : value]),
  );
}

function formatFields(fields: Fields): string {
  return Object.entries(blot(fields))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${value === '(removed)' ? value : JSON.stringify(value)}`)
    .join('');
}
