import type { Log, LogFields } from '@vitrine/backend';

/** Names of fields that are redacted. Callers never log secrets; this is a second safeguard. */
const secret = /token|password|secret|cookie|authorization|apikey|e-?mail|code$/i;

/** Creates a log with lines such as `TIME LEVEL message key=value …`. */
export function createLog(write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${new Date().toISOString()} ${level} ${message}${formatFields(fields)}\n`);
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Creates a log with a JSON object per line: `time`, `level`, `message` and the fields. */
export function createJsonLog(write: (line: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(
        `${JSON.stringify({ time: new Date().toISOString(), level, message, ...redact(fields) })}\n`,
      );
  return { info: line('info'), warn: line('warn'), error: line('error') };
}

/** Creates a log that writes to both logs. */
export function combineLogs(first: Log, second: Log): Log {
  const both =
    (level: keyof Log): Log['info'] =>
    (message, fields) => {
      first[level](message, fields);
      second[level](message, fields);
    };
  return { info: both('info'), warn: both('warn'), error: both('error') };
}

function redact(fields: LogFields): LogFields {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, secret.test(name) ? '(removed)' : value]),
  );
}

function formatFields(fields: LogFields): string {
  return Object.entries(redact(fields))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${value === '(removed)' ? value : JSON.stringify(value)}`)
    .join('');
}
