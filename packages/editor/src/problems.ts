import { forEachDiagnostic, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import type { EditorState, Text, TransactionSpec } from '@codemirror/state';
import { markedLength } from './marked-length.ts';

/** A problem at a place in the file that is shown. Lines and columns count from 1, columns in UTF-16 units. */
export interface EditorProblem {
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** The name of the rule that says so. */
  readonly rule?: string;
}

/**
 * The transaction that shows these problems; places outside the text are moved to its end. Undefined
 * where they are shown already, as those are that have moved with the text.
 */
export function showProblems(
  state: EditorState,
  problems: readonly EditorProblem[],
): TransactionSpec | undefined {
  const wanted = problems.map((problem) => toDiagnostic(state.doc, problem));
  const shown: Diagnostic[] = [];
  forEachDiagnostic(state, (each, from, to) => shown.push({ ...each, from, to }));
  return describe(wanted) === describe(shown) ? undefined : setDiagnostics(state, wanted);
}

function describe(diagnostics: readonly Diagnostic[]): string {
  const parts = ({ from, to, severity, message, source }: Diagnostic) =>
    JSON.stringify([from, to, severity, message, source]);
  return diagnostics.map(parts).sort().join();
}

/** The offset of a line and column in a text, kept inside it. */
export function offsetAt(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(Math.trunc(line), 1), doc.lines));
  return Math.min(found.from + Math.max(Math.trunc(column) - 1, 0), found.to);
}

function toDiagnostic(doc: Text, problem: EditorProblem): Diagnostic {
  const { line, column, endLine, endColumn, severity, message, rule } = problem;
  const from = offsetAt(doc, line, column);
  const to =
    endLine === undefined && endColumn === undefined
      ? endOfMark(doc, from)
      : Math.max(from, offsetAt(doc, endLine ?? line, endColumn ?? column));
  return { from, to, severity, message, ...(rule !== undefined && { source: rule }) };
}

/** Without an end, what begins there is marked, so that there is something to see. */
function endOfMark(doc: Text, at: number): number {
  const { from, text } = doc.lineAt(at);
  return at + markedLength(text, at - from);
}
