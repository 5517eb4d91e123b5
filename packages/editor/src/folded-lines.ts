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

/** A line at which a range is folded, with its text, so that the fold can be restored later. */
export interface FoldedLine {
  readonly line: number;
  readonly text: string;
}

/** Longest wait for the syntax tree when restoring folds or folding at the cursor. */
const parseTimeoutMs = 250;

/** Lists the folded lines of a state. */
export function listFolds(state: EditorState): readonly FoldedLine[] {
  const folds: FoldedLine[] = [];
  foldedRanges(state).between(0, state.doc.length, (from) => {
    const { number, text } = state.doc.lineAt(from);
    folds.push({ line: number, text });
  });
  return folds;
}

/**
 * Parses the whole text if it has folds to restore, since a block can be folded only once its end
 * is known. The tree is in the state from its next transaction on.
 */
export function parseForFolds(state: EditorState, folds: readonly FoldedLine[]): void {
  if (folds.length > 0) ensureSyntaxTree(state, state.doc.length, parseTimeoutMs);
}

/**
 * Effects that fold these lines again, if their text is unchanged and a foldable block starts
 * there.
 */
export function createRestoreFoldEffects(
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

/** Folds the block at the cursor. Parses first, so that it works right after a file is opened. */
export function foldAtCursor(view: EditorView): boolean {
  forceParsing(view, view.state.doc.length, parseTimeoutMs);
  return foldCode(view);
}
