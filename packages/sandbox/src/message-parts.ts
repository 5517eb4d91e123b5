/** Parts of messages, and parsers for them. Each parser returns typed data of limited size, or undefined. */
import { isRecord } from '@vitrine/project';
import { parseCount } from './console-values.ts';

/** A file of a srcdoc preview. */
export type InlinedFile = [path: string, content: string | Blob, mediaType: string];

/** A location in the project's code. Line and column are 1-based; '' and 0 if unknown. */
export interface SourceLocation {
  path: string;
  line: number;
  column: number;
}

export function parseStringUpTo(max: number, input: unknown): string | undefined {
  return typeof input === 'string' && input.length <= max ? input : undefined;
}

/** Parses a list; undefined unless every item is valid and there are not too many. */
export function parseListUpTo<T>(
  max: number,
  input: unknown,
  parse: (item: unknown) => T | undefined,
): T[] | undefined {
  if (!Array.isArray(input) || input.length > max) return undefined;
  const items = input.map(parse).filter((item) => item !== undefined);
  return items.length === input.length ? items : undefined;
}

export function parsePair(max: number, input: unknown): [string, string] | undefined {
  if (!Array.isArray(input) || input.length !== 2) return undefined;
  const [first, second] = input.map((part: unknown) => parseStringUpTo(max, part));
  return first === undefined || second === undefined ? undefined : [first, second];
}

/** Parses a value that may be null (unknown). */
export function parseNullable<T>(
  input: unknown,
  parse: (input: unknown) => T | undefined,
): T | null | undefined {
  return input === null ? null : parse(input);
}

export function parseSourceLocation(input: unknown): SourceLocation | undefined {
  if (!isRecord(input)) return undefined;
  const path = parseStringUpTo(1_000, input['path']);
  const [line, column] = [parseCount(input['line']), parseCount(input['column'])];
  if (path === undefined || line === undefined || column === undefined) return undefined;
  return { path, line, column };
}
