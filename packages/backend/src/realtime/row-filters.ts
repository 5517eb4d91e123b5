import { realtimeLimits } from './limits.ts';

/** One condition of a subscription, in the format of `realtime.format_filters`. */
export interface RowFilter {
  column: string;
  op: string;
  value: string | string[];
  negate: boolean;
}

const operatorPattern = /^(eq|neq|lt|lte|gt|gte|like|ilike|match|imatch|is|isdistinct|in)$/;

/**
 * Parses filters: `id=eq.1,title=not.in.("a,b",c)` → two filters. Throws a RangeError with the
 * reason.
 */
export function parseFilters(text: string): RowFilter[] {
  const filters = splitUnquoted(text, ',').map(parseFilter);
  if (filters.length > realtimeLimits.maxFilters) throw new RangeError('too many filters');
  return filters;
}

function parseFilter(text: string): RowFilter {
  const parts = /^([^=]+)=(not\.)?([a-z]+)\.(.*)$/s.exec(text.trim());
  const [, column = '', not, op = '', value = ''] = parts ?? [];
  if (!parts || !operatorPattern.test(op))
    throw new RangeError(`the filter ${text.slice(0, 60)} is not understood`);
  return { column: unquote(column), op, value: parseValue(op, value), negate: not !== undefined };
}

function parseValue(op: string, text: string): string | string[] {
  if (op === 'in') {
    const list = /^\((.*)\)$/s.exec(text)?.[1];
    if (list === undefined) throw new RangeError('in needs values in parentheses');
    const values = splitUnquoted(list, ',').map((value) => unquote(value.trim()));
    if (values.length > realtimeLimits.maxFilterValues)
      throw new RangeError('too many values for in');
    return values;
  }
  const value = unquote(text);
  if (op === 'is' && !/^(null|true|false|unknown)$/i.test(value)) {
    throw new RangeError('is requires null, true, false, or unknown');
  }
  // As in REST: PostgreSQL matches these in bounded time.
  if (
    /^i?match$/.test(op) &&
    (value.length > realtimeLimits.maxPatternLength || /\\\d|[{}]/.test(value))
  ) {
    throw new RangeError('the pattern is too long, or has back references or {}');
  }
  return value;
}

function unquote(text: string): string {
  const quoted = /^"(.*)"$/s.exec(text)?.[1];
  return quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, '$1');
}

/** Splits at separators that are neither quoted nor in parentheses. */
function splitUnquoted(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const isEscape = isQuoted && character === '\\';
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth++;
    else if (!isQuoted && character === ')') depth--;
    if (character === separator && !isQuoted && depth === 0) parts.push('');
    else parts[parts.length - 1] += isEscape ? character + text.charAt(++at) : character;
  }
  return parts;
}
