import { quoteCode } from '@vitrine/project';
import type { TextEdit } from '../typescript/messages.ts';
import type { RuleProblem } from './messages.ts';

/** A problem with what would mend it. */
export interface Mendable extends RuleProblem {
  /** What the rule itself takes for right; undefined where that is a person's choice. */
  readonly fix?: TextEdit;
  readonly suggestions: readonly { readonly label: string; readonly edit: TextEdit }[];
}

/** What a linter says, before its place is worked out. */
export interface Said {
  readonly rule: string;
  readonly message: string;
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly fix?: TextEdit;
  readonly suggestions?: readonly { readonly label: string; readonly edit: TextEdit }[];
}

/** Joins a linter's words with their places in a text. */
export function placeProblems(path: string, text: string, said: readonly Said[]): Mendable[] {
  const starts = lineStarts(text);
  return said.map(({ rule, message, from, to, severity, fix, suggestions = [] }) => {
    const start = placeAt(starts, from);
    const end = placeAt(starts, to);
    return {
      kind: 'rule',
      path,
      from,
      to,
      ...start,
      endLine: end.line,
      endColumn: end.column,
      sentence: toSentence(message),
      severity,
      rule,
      ...(fix && { fix }),
      suggestions,
    };
  });
}

/** The offset of a line and column, counted from 1, for linters that have no other. */
export function offsetIn(text: string): (line: number, column: number) => number {
  const starts = lineStarts(text);
  return (line, column) => Math.min((starts[line - 1] ?? text.length) + column - 1, text.length);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function placeAt(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** "duplicate ID "a"" → "Duplicate ID “a”." */
function toSentence(message: string): string {
  const quoted = quoteCode(message.trim());
  const begun = quoted.charAt(0).toUpperCase() + quoted.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
}
