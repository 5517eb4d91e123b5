import { selectParentSyntax } from '@codemirror/commands';
import { SearchQuery } from '@codemirror/search';
import { EditorSelection, StateEffect, StateField } from '@codemirror/state';
import type { Command } from '@codemirror/view';

const grown = StateEffect.define<readonly EditorSelection[]>();

/** The selections that the one of now has grown from, the latest last; forgotten when it is moved. */
export const grownFrom = StateField.define<readonly EditorSelection[]>({
  create: () => [],
  update(value, { effects, docChanged, selection }) {
    for (const effect of effects) if (effect.is(grown)) return effect.value;
    return value.length > 0 && (docChanged || selection) ? [] : value;
  },
});

/** What is selected, and the next larger piece of syntax around it. */
export const expandSelection: Command = (view) => {
  const { selection } = view.state;
  const before = view.state.field(grownFrom);
  if (!selectParentSyntax(view)) return false;
  view.dispatch({ effects: grown.of([...before, selection]) });
  return true;
};

/** Back to what the selection has grown from; it has done so where there is nothing to go back to. */
export const shrinkSelection: Command = (view) => {
  const before = view.state.field(grownFrom);
  const selection = before.at(-1);
  if (!selection) return true;
  view.dispatch({ selection, effects: grown.of(before.slice(0, -1)), scrollIntoView: true });
  return true;
};

/** A cursor at the end of each line that is selected. */
export const cursorsAtLineEnds: Command = (view) => {
  const { doc, selection } = view.state;
  const ends = selection.ranges.flatMap(({ from, to }) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index).to);
  });
  const cursors = ends.map((end) => EditorSelection.cursor(end));
  view.dispatch({ selection: EditorSelection.create(cursors, cursors.length - 1) });
  return true;
};

/** Of more, each key would be slow. */
const mostCursors = 1_000;

/** All that reads as what is selected does, or as the word at the cursor does where nothing is. */
export const allOccurrences: Command = (view) => {
  const { state } = view;
  const { main } = state.selection;
  const wanted = main.empty ? state.wordAt(main.head) : main;
  if (!wanted) return false;
  const search = state.sliceDoc(wanted.from, wanted.to);
  const found = new SearchQuery({
    search,
    caseSensitive: true,
    literal: true,
    wholeWord: main.empty,
  }).getCursor(state);
  const ranges = [];
  for (let next = found.next(); !next.done; next = found.next()) {
    if (ranges.length === mostCursors) return false;
    ranges.push(EditorSelection.range(next.value.from, next.value.to));
  }
  const at = ranges.findIndex(({ from }) => from === wanted.from);
  view.dispatch({ selection: EditorSelection.create(ranges, Math.max(0, at)) });
  return true;
};
