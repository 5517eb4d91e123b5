import { ensureSyntaxTree, foldable, foldEffect, foldedRanges } from '@codemirror/language';
import type { EditorState, StateEffect } from '@codemirror/state';

/** A line at which something is folded, with what stands in it, so that it is known again. */
export interface FoldedLine {
  readonly line: number;
  readonly text: string;
}

/** Finding out what can be folded waits this long for the syntax, once for a file. */
const parseMs = 50;

export function listFolds(state: EditorState): readonly FoldedLine[] {
  const folds: FoldedLine[] = [];
  foldedRanges(state).between(0, state.doc.length, (from) => {
    const { number, text } = state.doc.lineAt(from);
    folds.push({ line: number, text });
  });
  return folds;
}

/** What folds these lines again, where they still are as they were and begin a block. */
export function foldAgain(
  state: EditorState,
  folds: readonly FoldedLine[],
): readonly StateEffect<unknown>[] {
  const last = folds.at(-1);
  if (!last || last.line > state.doc.lines) return [];
  ensureSyntaxTree(state, state.doc.line(last.line).to, parseMs);
  return folds.flatMap(({ line: number, text }) => {
    const line = state.doc.line(number);
    const range = line.text === text ? foldable(state, line.from, line.to) : null;
    return range ? [foldEffect.of(range)] : [];
  });
}
