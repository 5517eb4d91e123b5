import { completionStatus, currentCompletions } from '@codemirror/autocomplete';
import { forEachDiagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/*
 * What is seen at a glance is said, too: the problems of the line that the cursor has come to, and
 * how many completions there are. A moment later, so that who walks on is not talked over.
 */

const restMs = 250;

export const spoken = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    #rest: ReturnType<typeof setTimeout> | undefined;

    constructor(view: EditorView) {
      this.#view = view;
    }

    update({ startState, state, docChanged, selectionSet }: ViewUpdate): void {
      if (completionStatus(state) === 'active' && completionStatus(startState) !== 'active')
        this.#sayLater(sayCompletions);
      else if (selectionSet && !docChanged && lineOf(startState) !== lineOf(state))
        this.#sayLater(sayProblems);
    }

    destroy(): void {
      clearTimeout(this.#rest);
    }

    #sayLater(say: (state: EditorState) => string): void {
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => {
        const sentence = say(this.#view.state);
        if (sentence !== '' && this.#view.hasFocus)
          this.#view.dispatch({ effects: EditorView.announce.of(sentence) });
      }, restMs);
    }
  },
);

function sayCompletions(state: EditorState): string {
  const count = currentCompletions(state).length;
  if (count === 0) return '';
  return count === 1 ? '1 completion.' : `${count} completions.`;
}

/** “Error: x is not defined.”, for each problem that begins in the line of the cursor. */
function sayProblems(state: EditorState): string {
  const line = state.doc.lineAt(state.selection.main.head);
  const said: string[] = [];
  forEachDiagnostic(state, ({ severity, message }, from) => {
    if (from < line.from || from > line.to) return;
    said.push(`${severity === 'error' ? 'Error' : 'Warning'}: ${message}`);
  });
  return said.join(' ');
}

function lineOf(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}

/** “Line 3, column 5”, and the problems there. */
export function sayPlace(view: EditorView): boolean {
  const { state } = view;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const place = `Line ${line.number} of ${state.doc.lines}, column ${head - line.from + 1}.`;
  view.dispatch({ effects: EditorView.announce.of(`${place} ${sayProblems(state)}`.trim()) });
  return true;
}
