import { positionAt } from './instrument-html.ts';
import { findJsonMistake } from './json-mistake.ts';
import type { SyntaxProblem } from './check-script.ts';

/** Why a text is not JSON, and where; for one that is, the place of its end. */
export function describeJsonMistake(text: string): SyntaxProblem {
  const at = findJsonMistake(text);
  return { sentence: wordMistake(text, at), ...positionAt(text, at) };
}

function wordMistake(text: string, at: number): string {
  const found = /[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|\/\/|\/\*|[^]|$/uy;
  found.lastIndex = at;
  const token = found.exec(text)?.[0] ?? '';
  const before = text.slice(0, at).trimEnd().at(-1) ?? '';
  if (text.trim() === '') return 'This file is empty: JSON has at least “{}”.';
  if (token === '') return 'The JSON ends too early.';
  if (token === '//' || token === '/*') return 'JSON has no comments.';
  if (token === "'" || token === '`') return 'JSON knows only double quotes.';
  if (before === ',' && /[}\]]/.test(token)) return `In JSON no “,” stands before “${token}”.`;
  if (token === '"' && isOpenText(text, at)) return 'This text in quotes has no quote at its end.';
  if (/["\d{[\]e]/.test(before) && /^["{[\p{L}\d]/u.test(token) && !/[{[]/.test(before))
    return `A “,” is missing before this.`;
  if (/[{,]/.test(before) && /^[\p{ID_Start}$_]/u.test(token))
    return `In JSON a name stands in double quotes: "${token}".`;
  return `“${token}” cannot stand here in JSON.`;
}

function isOpenText(text: string, at: number): boolean {
  return !/^"(?:[^"\\\n]|\\.)*"/.test(text.slice(at));
}
