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
 * What the Tab key does. Who walks through the page with Tab passes through the editor; who has
 * begun to type indents; Escape, then Tab, always leaves (WCAG 2.1.2, no keyboard trap). Leaving
 * the editor forgets that typing began.
 */

/** `leaves`: Tab moves on through the page. `indents`: Escape comes first. */
export type TabMode = 'leaves' | 'indents';

const setMode = StateEffect.define<TabMode>();

const mode = StateField.define<TabMode>({
  create: () => 'leaves',
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMode)) return effect.value;
    const isTyping = transaction.isUserEvent('input') || transaction.isUserEvent('delete');
    return isTyping && !transaction.state.readOnly ? 'indents' : value;
  },
  provide: (field) => [
    EditorView.editorAttributes.from(field, (value) => ({ 'data-tab': value })),
    EditorView.contentAttributes.from(field, (value): Record<string, string> =>
      value === 'indents' ? { 'aria-description': 'Escape, then Tab, leaves the editor.' } : {},
    ),
  ],
});

/** Tab by these rules. `told` is called with each change, so that the page can show the way out. */
export function tabKey(told: (mode: TabMode) => void): Extension {
  return [
    mode,
    // Before any key that is bound, and without claiming it: Escape also closes what is open.
    EditorView.domEventObservers({
      keydown: (event, view) => {
        if (event.key === 'Escape' && !event.isComposing) giveTabToPage(view);
      },
    }),
    keymap.of([
      {
        key: 'Tab',
        run: (view) => indents(view) && (acceptCompletion(view) || indentOrInsert(view)),
      },
      { key: 'Shift-Tab', run: (view) => indents(view) && indentLess(view) },
    ]),
    EditorView.domEventHandlers({
      blur: (_event, view) => {
        giveTabToPage(view);
      },
    }),
    EditorView.updateListener.of(({ startState, state }) => {
      const now = state.field(mode);
      if (startState.field(mode, false) !== now) told(now);
    }),
  ];
}

/** Ctrl+M gives Tab to the page or takes it back, as in other editors. */
export function toggleTabMode(view: EditorView): boolean {
  view.dispatch({ effects: setMode.of(indents(view) ? 'leaves' : 'indents') });
  return true;
}

function indents(view: EditorView): boolean {
  return indentsByTab(view.state);
}

/** True while Tab is a key of the editor, and not the page's. */
export function indentsByTab(state: EditorState): boolean {
  return state.field(mode) === 'indents';
}

/** Typing has to begin again before Tab indents. */
export function giveTabToPage(view: EditorView): void {
  if (indents(view)) view.dispatch({ effects: setMode.of('leaves') });
}

/** A selection moves right; a cursor within a line gets as much space as is missing to the next stop. */
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
