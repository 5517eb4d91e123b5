import {
  EditorSelection,
  type EditorState,
  type Line,
  type SelectionRange,
} from '@codemirror/state';
import type { Command } from '@codemirror/view';

/** Joins the next line, or all selected lines, onto the first with a single space. */
export const joinLines: Command = (view) => {
  if (view.state.readOnly) return false;
  const { state } = view;
  const change = state.changeByRange((range) => {
    const first = state.doc.lineAt(range.from).number;
    const last = Math.min(state.doc.lines, Math.max(first + 1, state.doc.lineAt(range.to).number));
    const changes = [];
    let joined = range.from;
    for (let number = first; number < last; number += 1) {
      const line = state.doc.line(number);
      const next = state.doc.line(number + 1);
      const from = line.from + line.text.trimEnd().length;
      const to = next.from + (next.text.length - next.text.trimStart().length);
      const needsSpace = from > line.from && to < next.to;
      changes.push({ from, to, insert: needsSpace ? ' ' : '' });
      joined = from;
    }
    const set = state.changes(changes);
    return {
      changes,
      range: range.empty ? EditorSelection.cursor(set.mapPos(joined)) : range.map(set),
    };
  });
  view.dispatch(change, { userEvent: 'input.join', scrollIntoView: true });
  return true;
};

/** Inserts an empty line with the current line's indentation and moves the cursor there. */
export const insertLineBelow: Command = (view) => insertLine(view, 'below');
export const insertLineAbove: Command = (view) => insertLine(view, 'above');

function insertLine(view: Parameters<Command>[0], side: 'above' | 'below'): boolean {
  if (view.state.readOnly) return false;
  const { state } = view;
  const change = state.changeByRange((range) => {
    const line = state.doc.lineAt(range.head);
    const indent = /^\s*/.exec(line.text)?.[0] ?? '';
    const isAbove = side === 'above';
    return {
      changes: isAbove
        ? { from: line.from, insert: `${indent}\n` }
        : { from: line.to, insert: `\n${indent}` },
      range: EditorSelection.cursor((isAbove ? line.from : line.to + 1) + indent.length),
    };
  });
  view.dispatch(change, { userEvent: 'input', scrollIntoView: true });
  return true;
}

/** The selected lines, or all lines if the selection is within one. */
function selectedLines(state: EditorState): readonly Line[] {
  const { main } = state.selection;
  const first = state.doc.lineAt(main.from).number;
  const last = state.doc.lineAt(main.to);
  // A selection that ends at the start of a line does not include that line.
  const end = last.from === main.to && last.number > first ? last.number - 1 : last.number;
  const [from, to] = end > first ? [first, end] : [1, state.doc.lines];
  return Array.from({ length: to - from + 1 }, (_, index) => state.doc.line(from + index));
}

/** Sorts lines by locale, numbers by value. */
function sortLines(direction: 1 | -1): Command {
  return (view) => {
    if (view.state.readOnly) return false;
    const lines = selectedLines(view.state);
    const [first, last] = [lines[0], lines.at(-1)];
    if (!first || !last) return false;
    const { compare } = new Intl.Collator('en', { numeric: true });
    const sorted = lines.map(({ text }) => text).sort((a, b) => direction * compare(a, b));
    view.dispatch({
      changes: { from: first.from, to: last.to, insert: sorted.join('\n') },
      userEvent: 'input.sort',
    });
    return true;
  };
}

export const sortAscending = sortLines(1);
export const sortDescending = sortLines(-1);

/** Changes the case of the selection, or of the word at the cursor. */
function changeCase(write: (text: string) => string): Command {
  return (view) => {
    if (view.state.readOnly) return false;
    const { state } = view;
    const change = state.changeByRange((range) => {
      const at = range.empty ? (state.wordAt(range.head) ?? range) : range;
      const insert = write(state.sliceDoc(at.from, at.to));
      return { changes: { from: at.from, to: at.to, insert }, range: mapRange(range, at, insert) };
    });
    view.dispatch(change, { userEvent: 'input.case' });
    return true;
  };
}

function mapRange(range: SelectionRange, at: SelectionRange, insert: string): SelectionRange {
  if (range.empty) return range;
  return EditorSelection.range(at.from, at.from + insert.length);
}

export const changeToUpperCase = changeCase((text) => text.toUpperCase());
export const changeToLowerCase = changeCase((text) => text.toLowerCase());
export const changeToTitleCase = changeCase((text) =>
  text.toLowerCase().replace(/(?<![\p{L}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase()),
);
