/**
 * Splits an SQL file into its statements, as the Supabase CLI records them.
 *
 *   select ';'; -- c
 *   select 2;
 *   →  [{ text: "select ';'", line: 1 }, { text: '-- c\nselect 2', line: 1 }]
 *
 * Semicolons in quoted text, dollar quotes, comments (also nested ones) and `begin atomic … end`
 * bodies do not separate. A comment belongs to the statement after it; comments alone are not a
 * statement.
 */
export interface SqlStatement {
  text: string;
  /** Line of the file on which `text` begins, counted from 1. */
  line: number;
}

export function splitStatements(source: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let start = 0;
  // Number of open `begin atomic` and `case`, each closed by an `end`; semicolons inside do not
  // separate.
  let depth = 0;
  let hasCode = false;
  let previousWord = '';
  const finish = (end: number) => {
    const text = source.slice(start, end);
    if (hasCode) statements.push({ text: text.trim(), line: lineAt(source, start, text) });
    start = end + 1;
    hasCode = false;
    depth = 0;
  };
  for (let i = 0; i < source.length;) {
    const token = readToken(source, i);
    if (token.kind === 'separator' && depth === 0) finish(i);
    if (token.kind === 'word') {
      const word = source.slice(i, token.end).toLowerCase();
      if (word === 'atomic' && previousWord === 'begin') depth += 1;
      if (word === 'case' && depth > 0) depth += 1;
      if (word === 'end' && depth > 0) depth -= 1;
      previousWord = word;
    }
    if (token.kind === 'word' || token.kind === 'other') hasCode = true;
    i = token.end;
  }
  finish(source.length);
  return statements;
}

/** Removes the comments before a statement, to recognize its kind. */
export function stripLeadingComments(text: string): string {
  let i = 0;
  while (i < text.length) {
    const token = readToken(text, i);
    if (token.kind !== 'blank') break;
    i = token.end;
  }
  return text.slice(i);
}

interface Token {
  kind: 'blank' | 'word' | 'separator' | 'other';
  end: number;
}

function readToken(source: string, at: number): Token {
  const rest = source.slice(at, at + 64);
  const blank = /^\s+/.exec(rest);
  if (blank) return { kind: 'blank', end: at + blank[0].length };
  if (rest.startsWith('--')) return { kind: 'blank', end: endOf(source, '\n', at + 2) };
  if (rest.startsWith('/*')) return { kind: 'blank', end: endOfBlockComment(source, at) };
  if (rest[0] === ';') return { kind: 'separator', end: at + 1 };
  if (/^e'/i.test(rest)) return { kind: 'other', end: endOfQuote(source, at + 1, "'", true) };
  if (rest[0] === "'") return { kind: 'other', end: endOfQuote(source, at, "'", false) };
  if (rest[0] === '"') return { kind: 'other', end: endOfQuote(source, at, '"', false) };
  const dollar = /^\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/i.exec(rest);
  if (dollar) return { kind: 'other', end: endOf(source, dollar[0], at + dollar[0].length) };
  // A dollar sign inside a name (`a$b$c`) does not start a quote, so names are read as a whole.
  const word = /^[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/i.exec(rest);
  if (word) return { kind: 'word', end: at + word[0].length };
  return { kind: 'other', end: at + 1 };
}

function endOf(source: string, closing: string, from: number): number {
  const found = source.indexOf(closing, from);
  return found === -1 ? source.length : found + closing.length;
}

function endOfBlockComment(source: string, at: number): number {
  let depth = 0;
  for (let i = at; i < source.length; i += 1) {
    if (source.startsWith('/*', i)) {
      depth += 1;
      i += 1;
    } else if (source.startsWith('*/', i)) {
      depth -= 1;
      i += 1;
      if (depth === 0) return i + 1;
    }
  }
  return source.length;
}

function endOfQuote(source: string, at: number, quote: string, backslashes: boolean): number {
  for (let i = at + 1; i < source.length; i += 1) {
    if (backslashes && source[i] === '\\') i += 1;
    else if (source[i] === quote && source[i + 1] === quote) i += 1;
    else if (source[i] === quote) return i + 1;
  }
  return source.length;
}

function lineAt(source: string, start: number, text: string): number {
  const begin = start + (text.length - text.trimStart().length);
  return source.slice(0, begin).split('\n').length;
}
