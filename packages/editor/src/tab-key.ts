import { acceptCompletion } from '@codemirror/autocomplete';
import { indentLess, indentMore, insertTab } from '@codemirror/commands';
import {
  EditorSelection,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
} from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

/*
 * What the Tab key does. While moving through the page with Tab, the editor is a single stop; after
 * typing, Tab indents; Escape, then Tab, always leaves (WCAG 2.1.2, no keyboard trap). Leaving the
 * editor resets it to a stop.
 */

/** `leaves`: Tab moves focus through the page. `indents`: Tab indents until Escape is pressed. */
export type TabMode = 'leaves' | 'indents';

const setMode = StateEffect.define<TabMode>();

const modeField = StateField.define<TabMode>({
  create: () => 'leaves',
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMode)) return effect.value;
    const isTyping = transaction.isUserEvent('input') || transaction.isUserEvent('delete');
    return isTyping && !transaction.state.readOnly ? 'indents' : value;
  },
  provide: (field) => [
    EditorView.editorAttributes.from(field, (value) => ({ 'data-tab': value })),
    EditorView.contentAttributes.from(field, (value): Record<string, string> =>
      value === 'indents'
        ? { 'aria-description': 'Press Esc, then Tab, to leave the editor.' }
        : {},
    ),
  ],
});

/**
 * Binds Tab and Shift+Tab. `onChange` is called with the mode after each change, so that the page
 * can show how to leave.
 */
export function tabKey(onChange: (mode: TabMode) => void): Extension {
  return [
    modeField,
    // Observes Escape without handling it, ahead of all key bindings: Escape also closes what is
    // open.
    EditorView.domEventObservers({
      keydown: (event, view) => {
        if (event.key === 'Escape' && !event.isComposing) releaseTabKey(view);
      },
    }),
    keymap.of([
      {
        key: 'Tab',
        run: (view) => isIndenting(view) && (acceptCompletion(view) || indentOrInsert(view)),
      },
      { key: 'Shift-Tab', run: (view) => isIndenting(view) && indentLess(view) },
    ]),
    EditorView.domEventHandlers({
      blur: (_event, view) => {
        releaseTabKey(view);
      },
    }),
    EditorView.updateListener.of(({ startState, state }) => {
      const mode = state.field(modeField);
      if (startState.field(modeField, false) !== mode) onChange(mode);
    }),
  ];
}

/** Toggles whether Tab moves focus (Ctrl+M in VS Code). */
export function toggleTabMode(view: EditorView): boolean {
  view.dispatch({ effects: setMode.of(isIndenting(view) ? 'leaves' : 'indents') });
  return true;
}

function isIndenting(view: EditorView): boolean {
  return isTabIndenting(view.state);
}

/** True while Tab indents instead of moving focus. */
export function isTabIndenting(state: EditorState): boolean {
  return state.field(modeField) === 'indents';
}

/** Makes Tab move focus until something is typed again. */
export function releaseTabKey(view: EditorView): void {
  if (isIndenting(view)) view.dispatch({ effects: setMode.of('leaves') });
}

/**
 * Indents the selected lines. With a cursor inside a line, inserts spaces up to the next tab stop.
 */
function indentOrInsert(view: EditorView): boolean {
  const { state } = view;
  if (state.selection.ranges.some((range) => !range.empty)) return indentMore(view);
  const line = state.doc.lineAt(state.selection.main.head);
  const isBeforeText = state.selection.main.head - line.from <= line.text.search(/\S|$/);
  return isBeforeText ? indentMore(view) : insertSpaces(view);
}

function insertSpaces(view: EditorView): boolean {
  const { state } = view;
  if (state.readOnly) return insertTab(view);
  const change = state.changeByRange((range) => {
    const column = range.head - state.doc.lineAt(range.head).from;
    const insert = ' '.repeat(state.tabSize - (column % state.tabSize));
    return {
      changes: { from: range.head, insert },
      range: EditorSelection.cursor(range.head + insert.length),
    };
  });
  view.dispatch(change, { userEvent: 'input.indent', scrollIntoView: true });
  return true;
}
