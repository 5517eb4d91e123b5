import { RestError } from './rest-error.ts';

/** Response formats that an `Accept` header can request. */
export interface ResponseFormat {
  kind: 'json' | 'csv';
  /** One object instead of a list; rejects results that are not exactly one row. */
  single: boolean;
  /** Whether null members are omitted. */
  stripNulls: boolean;
  contentType: string;
  /** Set when the statement's query plan is requested instead of its result. */
  plan?: { format: 'json' | 'text'; options: readonly string[] };
}

export const listFormat: ResponseFormat = {
  kind: 'json',
  single: false,
  stripNulls: false,
  contentType: 'application/json; charset=utf-8',
};

/**
 * Picks the first supported format. `application/json` and wildcards are a list;
 * `application/vnd.pgrst.object+json` is one object.
 */
export function parseAccept(header: string | null): ResponseFormat {
  for (const mediaRange of (header ?? '*/*').split(',')) {
    const format = findFormat(mediaRange);
    if (format) return format;
  }
  throw createNotAcceptableError(header ?? '');
}

export function createNotAcceptableError(header: string): RestError {
  const quoted = header.slice(0, 100);
  return new RestError(406, 'PGRST107', `None of these media types are available: ${quoted}`);
}

function findFormat(mediaRange: string): ResponseFormat | undefined {
  const [type = '', ...options] = mediaRange.split(';').map((part) => part.trim());
  const plan = /^application\/vnd\.pgrst\.plan(?:\+(json|text))?$/i.exec(type);
  if (plan) return parsePlanFormat(plan[1] === 'json' ? 'json' : 'text', options);
  const parameters = options.filter((option) => !/^(q=.*|charset=utf-8|)$/i.test(option));
  if (parameters.some((option) => option !== 'nulls=stripped')) return undefined;
  return parseMediaType(type.toLowerCase(), parameters.length > 0);
}

function parseMediaType(type: string, stripNulls: boolean): ResponseFormat | undefined {
  const [, shape, json] = /^application\/vnd\.pgrst\.(object|array)(\+json)?$/.exec(type) ?? [];
  if (shape !== undefined && (json || !stripNulls || shape === 'object')) {
    const suffix = stripNulls ? ';nulls=stripped' : '';
    const contentType = `application/vnd.pgrst.${shape}+json${suffix}; charset=utf-8`;
    return { kind: 'json', single: shape === 'object', stripNulls, contentType };
  }
  if (stripNulls) return undefined;
  if (type === 'text/csv') {
    return { ...listFormat, kind: 'csv', contentType: 'text/csv; charset=utf-8' };
  }
  return ['application/json', '*/*', 'application/*', ''].includes(type) ? listFormat : undefined;
}

const planOptions: ReadonlySet<string> = new Set([
  'analyze',
  'verbose',
  'settings',
  'buffers',
  'wal',
]);

/** Parses `application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose`. */
function parsePlanFormat(
  format: 'json' | 'text',
  parameters: readonly string[],
): ResponseFormat | undefined {
  let resultFormat: ResponseFormat | undefined = listFormat;
  let options: string[] = [];
  for (const parameter of parameters) {
    const [, key, value = ''] = /^(for|options)="?([^"]*)"?$/.exec(parameter) ?? [];
    if (key === 'for') resultFormat = findFormat(value);
    else if (key === 'options') options = value.split('|').filter((option) => option !== '');
    else if (parameter !== '') return undefined;
  }
  if (!resultFormat || resultFormat.plan) return undefined;
  if (!options.every((option) => planOptions.has(option))) return undefined;
  const contentType = `application/vnd.pgrst.plan+${format}; charset=utf-8`;
  return { ...resultFormat, contentType, plan: { format, options } };
}
