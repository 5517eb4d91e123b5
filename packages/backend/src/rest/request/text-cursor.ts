import { restLimits } from '../limits.ts';
import { createSyntaxError, type RestError } from '../rest-error.ts';

/** A position in a parameter's text, which the grammars advance. */
export interface TextCursor {
  readonly text: string;
  readonly parameter: string;
  at: number;
}

export function createTextCursor(parameter: string, text: string): TextCursor {
  return { text, parameter, at: 0 };
}

/** Creates an error with the position at which parsing stopped. */
export function createParseError(cursor: TextCursor, expected: string): RestError {
  const shown = cursor.text.length > 80 ? `${cursor.text.slice(0, 80)}…` : cursor.text;
  return createSyntaxError(
    `"failed to parse ${cursor.parameter} parameter (${shown})" (line 1, column ${cursor.at + 1})`,
    `expected ${expected}`,
  );
}

export function acceptToken(cursor: TextCursor, token: string): boolean {
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

export function expectToken(cursor: TextCursor, token: string): void {
  if (!acceptToken(cursor, token)) throw createParseError(cursor, `"${token}"`);
}

export function expectEnd(cursor: TextCursor): void {
  if (cursor.at < cursor.text.length) throw createParseError(cursor, 'nothing more');
}

/** Reads text that matches a sticky pattern; otherwise returns undefined without moving. */
export function acceptPattern(cursor: TextCursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) return undefined;
  cursor.at += found.length;
  return found;
}

/** Reads quoted text: `"a\"b"` → `a"b`; undefined when there is no quote. */
export function acceptQuoted(cursor: TextCursor): string | undefined {
  if (!acceptToken(cursor, '"')) return undefined;
  let value = '';
  for (;;) {
    const char = cursor.text[cursor.at++];
    if (char === undefined) throw createParseError(cursor, 'a closing quote');
    if (char === '"') return value;
    if (char !== '\\') value += char;
    else value += cursor.text[cursor.at++] ?? '';
  }
}

// Letters, digits, underscore, dollar and inner spaces, joined by hyphens that are not arrows.
const plainName = /[\p{L}\p{N}_$ ]+(?:-(?!>)[\p{L}\p{N}_$ ]+)*/uy;

/** Reads a column, relation or alias: plain, or in double quotes when it has other characters. */
export function readName(cursor: TextCursor, what = 'a name'): string {
  const name = acceptQuoted(cursor) ?? acceptPattern(cursor, plainName)?.trim();
  if (!name || name.includes('\0')) throw createParseError(cursor, what);
  if (Buffer.byteLength(name) > restLimits.maxNameBytes) {
    throw createParseError(cursor, `${what} of at most ${restLimits.maxNameBytes} bytes`);
  }
  return name;
}

/** Reads items separated by commas. */
export function readList<T>(cursor: TextCursor, readItem: (cursor: TextCursor) => T): T[] {
  const items: T[] = [];
  do items.push(readItem(cursor));
  while (acceptToken(cursor, ','));
  return items;
}
