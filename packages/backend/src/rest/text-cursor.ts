import { restLimits } from './limits.ts';
import { syntaxError, type RestError } from './rest-error.ts';

/** A place in a parameter's text. The grammars move it forward as they recognise things. */
export interface TextCursor {
  readonly text: string;
  readonly parameter: string;
  at: number;
}

export function openText(parameter: string, text: string): TextCursor {
  return { text, parameter, at: 0 };
}

/** A refusal that says where in the caller's own text reading stopped. */
export function failAt(cursor: TextCursor, expected: string): RestError {
  const shown = cursor.text.length > 80 ? `${cursor.text.slice(0, 80)}…` : cursor.text;
  return syntaxError(
    `"failed to parse ${cursor.parameter} parameter (${shown})" (line 1, column ${cursor.at + 1})`,
    `expected ${expected}`,
  );
}

export function accept(cursor: TextCursor, token: string): boolean {
  if (!cursor.text.startsWith(token, cursor.at)) return false;
  cursor.at += token.length;
  return true;
}

export function expect(cursor: TextCursor, token: string): void {
  if (!accept(cursor, token)) throw failAt(cursor, `"${token}"`);
}

export function expectEnd(cursor: TextCursor): void {
  if (cursor.at < cursor.text.length) throw failAt(cursor, 'nothing more');
}

/** Text that a sticky pattern matches here, or undefined and no movement. */
export function acceptPattern(cursor: TextCursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) return undefined;
  cursor.at += found.length;
  return found;
}

/** `"a\"b"` → `a"b`; undefined where no quote opens. */
export function acceptQuoted(cursor: TextCursor): string | undefined {
  if (!accept(cursor, '"')) return undefined;
  let value = '';
  for (;;) {
    const char = cursor.text[cursor.at++];
    if (char === undefined) throw failAt(cursor, 'a closing quote');
    if (char === '"') return value;
    if (char !== '\\') value += char;
    else value += cursor.text[cursor.at++] ?? '';
  }
}

// Letters, digits, underscore, dollar and inner spaces, joined by hyphens that are not arrows.
const plainName = /[\p{L}\p{N}_$ ]+(?:-(?!>)[\p{L}\p{N}_$ ]+)*/uy;

/** A column, relation or alias: plain, or in double quotes when it has other characters. */
export function readName(cursor: TextCursor, what = 'a name'): string {
  const name = acceptQuoted(cursor) ?? acceptPattern(cursor, plainName)?.trim();
  if (!name || name.includes('\0')) throw failAt(cursor, what);
  if (Buffer.byteLength(name) > restLimits.maxNameBytes) {
    throw failAt(cursor, `${what} of at most ${restLimits.maxNameBytes} bytes`);
  }
  return name;
}

/** Items between commas. */
export function readList<T>(cursor: TextCursor, readItem: (cursor: TextCursor) => T): T[] {
  const items: T[] = [];
  do items.push(readItem(cursor));
  while (accept(cursor, ','));
  return items;
}
