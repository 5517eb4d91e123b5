import { curlCodeQuotes } from '@vitrine/project';
import type { TextEdit } from '../typescript/messages.ts';
import type { LintDiagnostic } from './messages.ts';

/** A diagnostic with its fix and suggestions. */
export interface FixableDiagnostic extends LintDiagnostic {
  /** The rule's automatic fix. Undefined if the user has to choose. */
  readonly fix?: TextEdit;
  readonly suggestions: readonly { readonly label: string; readonly edit: TextEdit }[];
}

/** A linter's message, before its offsets are converted to lines and columns. */
export interface LinterMessage {
  readonly rule: string;
  readonly message: string;
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly fix?: TextEdit;
  readonly suggestions?: readonly { readonly label: string; readonly edit: TextEdit }[];
}

/** Converts a linter's messages to diagnostics, with lines and columns. */
export function locateMessages(
  path: string,
  text: string,
  messages: readonly LinterMessage[],
): FixableDiagnostic[] {
  const starts = listLineStarts(text);
  return messages.map(({ rule, message, from, to, severity, fix, suggestions = [] }) => {
    const start = positionAt(starts, from);
    const end = positionAt(starts, to);
    return {
      kind: 'rule',
      path,
      from,
      to,
      ...start,
      endLine: end.line,
      endColumn: end.column,
      message: toSentence(message),
      severity,
      rule,
      ...(fix && { fix }),
      suggestions,
    };
  });
}

/**
 * Returns a function that converts a line and column, both from 1, to an offset, for linters that
 * report no offsets.
 */
export function createOffsetLookup(text: string): (line: number, column: number) => number {
  const starts = listLineStarts(text);
  return (line, column) => Math.min((starts[line - 1] ?? text.length) + column - 1, text.length);
}

function listLineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/**
 * Capitalizes a linter's message and ends it with a period: "duplicate ID "a"" → "Duplicate ID
 * “a”.".
 */
function toSentence(message: string): string {
  const quoted = curlCodeQuotes(message.trim());
  const capitalized = quoted.charAt(0).toUpperCase() + quoted.slice(1);
  return /[.?!]$/.test(capitalized) ? capitalized : `${capitalized}.`;
}
