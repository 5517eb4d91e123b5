/** Readers for parts of messages: each answers with typed data of a bounded size, or undefined. */
import { isRecord, parseCount } from './console-values.ts';
import type { CodePlace } from './protocol.ts';

export function parseTextUpTo(most: number, input: unknown): string | undefined {
  return typeof input === 'string' && input.length <= most ? input : undefined;
}

/** Undefined unless every item is one, and there are not too many. */
export function parseListUpTo<T>(
  most: number,
  input: unknown,
  parse: (item: unknown) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(input) || input.length > most) return undefined;
  const items = input.map(parse).filter((item) => item !== undefined);
  return items.length === input.length ? items : undefined;
}

export function parsePair(most: number, input: unknown): [string, string] | undefined {
  if (!Array.isArray(input) || input.length !== 2) return undefined;
  const [first, second] = input.map((part: unknown) => parseTextUpTo(most, part));
  return first === undefined || second === undefined ? undefined : [first, second];
}

/** `null` stands for what is not known. */
export function parseOrNull<T>(
  input: unknown,
  parse: (input: unknown) => T | undefined,
): T | null | undefined {
  return input === null ? null : parse(input);
}

export function parseCodePlace(input: unknown): CodePlace | undefined {
  if (!isRecord(input)) return undefined;
  const path = parseTextUpTo(1_000, input['path']);
  const [line, column] = [parseCount(input['line']), parseCount(input['column'])];
  if (path === undefined || line === undefined || column === undefined) return undefined;
  return { path, line, column };
}
