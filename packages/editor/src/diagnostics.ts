import {
  forEachDiagnostic,
  setDiagnostics,
  setDiagnosticsEffect,
  type Diagnostic,
} from '@codemirror/lint';
import { StateField, type EditorState, type Text, type TransactionSpec } from '@codemirror/state';
import { squiggleLength } from './squiggle-length.ts';

/** A diagnostic in the shown file. Lines and columns count from 1, columns in UTF-16 units. */
export interface EditorDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  /** Name of the lint rule. */
  readonly rule?: string;
}

/**
 * Number of diagnostics last shown. CodeMirror drops those whose text is deleted, but keeps their
 * gutter markers until diagnostics are set again.
 */
export const diagnosticCount = StateField.define<number>({
  create: () => 0,
  update: (count, { effects }) =>
    effects.find((effect) => effect.is(setDiagnosticsEffect))?.value.length ?? count,
});

/**
 * The transaction that shows these diagnostics; positions outside the text are clamped to its end.
 * Undefined if they are already shown, including those that have moved with the text.
 */
export function createDiagnosticsUpdate(
  state: EditorState,
  problems: readonly EditorDiagnostic[],
): TransactionSpec | undefined {
  const next = problems.map((problem) => toDiagnostic(state.doc, problem));
  const current: Diagnostic[] = [];
  forEachDiagnostic(state, (each, from, to) => current.push({ ...each, from, to }));
  const isComplete = current.length === (state.field(diagnosticCount, false) ?? current.length);
  const isShown = isComplete && serialize(next) === serialize(current);
  return isShown ? undefined : setDiagnostics(state, next);
}

function serialize(diagnostics: readonly Diagnostic[]): string {
  const parts = ({ from, to, severity, message, source }: Diagnostic) =>
    JSON.stringify([from, to, severity, message, source]);
  return diagnostics.map(parts).sort().join();
}

/** Converts a line and column to an offset, clamped to the text. */
export function offsetAt(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(Math.trunc(line), 1), doc.lines));
  return Math.min(found.from + Math.max(Math.trunc(column) - 1, 0), found.to);
}

function toDiagnostic(doc: Text, problem: EditorDiagnostic): Diagnostic {
  const { line, column, endLine, endColumn, severity, message, rule } = problem;
  const from = offsetAt(doc, line, column);
  const to =
    endLine === undefined && endColumn === undefined
      ? findEnd(doc, from)
      : Math.max(from, offsetAt(doc, endLine ?? line, endColumn ?? column));
  return { from, to, severity, message, ...(rule !== undefined && { source: rule }) };
}

/** End of the squiggle for a diagnostic without an end, so that something is visible. */
function findEnd(doc: Text, at: number): number {
  const { from, text } = doc.lineAt(at);
  return at + squiggleLength(text, at - from);
}
