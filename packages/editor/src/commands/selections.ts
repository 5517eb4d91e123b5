import { selectParentSyntax } from '@codemirror/commands';
import { SearchQuery } from '@codemirror/search';
import { EditorSelection, StateEffect, StateField } from '@codemirror/state';
import type { Command } from '@codemirror/view';

const setExpandedFrom = StateEffect.define<readonly EditorSelection[]>();

/**
 * Selections that the current one was expanded from, latest last. Cleared when the selection or
 * text changes otherwise.
 */
export const expandedFrom = StateField.define<readonly EditorSelection[]>({
  create: () => [],
  update(value, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(setExpandedFrom)) return effect.value;
    return value.length > 0 && (docChanged || selection) ? [] : value;
  },
});

/** Expands the selection to the surrounding syntax node. */
export const expandSelection: Command = (view) => {
  const { selection } = view.state;
  const before = view.state.field(expandedFrom);
  if (!selectParentSyntax(view)) return false;
  view.dispatch({ effects: setExpandedFrom.of([...before, selection]) });
  return true;
};

/**
 * Restores the selection before the last expansion. Returns true also if there is none, so that no
 * other command runs.
 */
export const shrinkSelection: Command = (view) => {
  const before = view.state.field(expandedFrom);
  const selection = before.at(-1);
  if (!selection) return true;
  view.dispatch({
    selection,
    effects: setExpandedFrom.of(before.slice(0, -1)),
    scrollIntoView: true,
  });
  return true;
};

/** Adds a cursor at the end of each selected line. */
export const addCursorsToLineEnds: Command = (view) => {
  const { doc, selection } = view.state;
  const ends = selection.ranges.flatMap(({ from, to }) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index).to);
  });
  const cursors = ends.map((end) => EditorSelection.cursor(end));
  view.dispatch({ selection: EditorSelection.create(cursors, cursors.length - 1) });
  return true;
};

/** With more cursors, each keystroke would be slow. */
const maxCursors = 1_000;

/** Selects all occurrences of the selected text, or of the word at the cursor. */
export const selectAllOccurrences: Command = (view) => {
  const { state } = view;
  const { main } = state.selection;
  const target = main.empty ? state.wordAt(main.head) : main;
  if (!target) return false;
  const search = state.sliceDoc(target.from, target.to);
  const cursor = new SearchQuery({
    search,
    caseSensitive: true,
    literal: true,
    wholeWord: main.empty,
  }).getCursor(state);
  const ranges = [];
  for (let next = cursor.next(); !next.done; next = cursor.next()) {
    if (ranges.length === maxCursors) return false;
    ranges.push(EditorSelection.range(next.value.from, next.value.to));
  }
  const at = ranges.findIndex(({ from }) => from === target.from);
  view.dispatch({ selection: EditorSelection.create(ranges, Math.max(0, at)) });
  return true;
};
