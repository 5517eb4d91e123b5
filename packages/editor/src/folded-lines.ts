import {
  ensureSyntaxTree,
  foldable,
  foldCode,
  foldEffect,
  foldedRanges,
  forceParsing,
} from '@codemirror/language';
import type { EditorState, StateEffect } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/** A line at which something is folded, with what stands in it, so that it is known again. */
export interface FoldedLine {
  readonly line: number;
  readonly text: string;
}

/** Finding out what can be folded waits this long for the syntax, once for a file. */
const parseMs = 250;

export function listFolds(state: EditorState): readonly FoldedLine[] {
  const folds: FoldedLine[] = [];
  foldedRanges(state).between(0, state.doc.length, (from) => {
    const { number, text } = state.doc.lineAt(from);
    folds.push({ line: number, text });
  });
  return folds;
}

/**
 * Parses the whole text where something is folded, since a block can be folded only once its end
 * is known. The state has the tree from its next transaction on.
 */
export function readLines(state: EditorState, folds: readonly FoldedLine[]): void {
  if (folds.length > 0) ensureSyntaxTree(state, state.doc.length, parseMs);
}

/** What folds these lines again, where they still are as they were and begin a block. */
export function foldAgain(
  state: EditorState,
  folds: readonly FoldedLine[],
): readonly StateEffect<unknown>[] {
  const last = folds.at(-1);
  if (!last || last.line > state.doc.lines) return [];
  return folds.flatMap(({ line: number, text }) => {
    const line = state.doc.line(number);
    const range = line.text === text ? foldable(state, line.from, line.to) : null;
    return range ? [foldEffect.of(range)] : [];
  });
}

/** Folds what begins at the cursor, also right behind opening, before its syntax was read. */
export function foldHere(view: EditorView): boolean {
  forceParsing(view, view.state.doc.length, parseMs);
  return foldCode(view);
}
