import { completionStatus, currentCompletions } from '@codemirror/autocomplete';
import { forEachDiagnostic, setDiagnosticsEffect } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/*
 * What is seen at a glance is said, too: the problems of the line that the cursor has come to, those
 * that come to its line while one writes there, and how many completions there are. A moment later,
 * so that who walks on is not talked over, and who writes is not interrupted at each key.
 */

const restMs = 250;
/** Behind the last change of the text or its problems. */
const pauseMs = 1_000;

export const spoken = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    #rest: ReturnType<typeof setTimeout> | undefined;
    #pause: ReturnType<typeof setTimeout> | undefined;
    /** The problems of the cursor's line as they were last said, or '' when it had none. */
    #said = '';

    constructor(view: EditorView) {
      this.#view = view;
    }

    update(update: ViewUpdate): void {
      const { startState, state, docChanged, selectionSet } = update;
      const isChoosing = completionStatus(state) === 'active';
      const wasChoosing = completionStatus(startState) === 'active';
      if (isChoosing && !wasChoosing) this.#sayCompletionsLater();
      else if (selectionSet && !docChanged && lineOf(startState) !== lineOf(state))
        this.#sayArrivalLater();
      else if (docChanged || wasChoosing !== isChoosing || hasNewProblems(update))
        this.#sayNewProblemsLater();
    }

    destroy(): void {
      clearTimeout(this.#rest);
      clearTimeout(this.#pause);
    }

    #sayCompletionsLater(): void {
      clearTimeout(this.#rest);
      this.#rest = setTimeout(() => this.#say(sayCompletions(this.#view.state)), restMs);
    }

    #sayArrivalLater(): void {
      this.destroy();
      this.#rest = setTimeout(() => {
        this.#said = sayProblems(this.#view.state);
        this.#say(this.#said);
      }, restMs);
    }

    #sayNewProblemsLater(): void {
      clearTimeout(this.#pause);
      this.#pause = setTimeout(() => {
        const { state, hasFocus } = this.#view;
        // The list is heard first; it closes with an update of its own.
        if (!hasFocus || completionStatus(state) === 'active') return;
        const sentence = sayProblems(state);
        if (sentence !== this.#said) this.#say(sentence);
        this.#said = sentence;
      }, pauseMs);
    }

    #say(sentence: string): void {
      if (sentence !== '' && this.#view.hasFocus)
        this.#view.dispatch({ effects: EditorView.announce.of(sentence) });
    }
  },
);

function hasNewProblems({ transactions }: ViewUpdate): boolean {
  return transactions.some(({ effects }) => effects.some((one) => one.is(setDiagnosticsEffect)));
}

function sayCompletions(state: EditorState): string {
  const count = currentCompletions(state).length;
  if (count === 0) return '';
  return count === 1 ? '1 completion.' : `${count} completions.`;
}

const severityWords = { error: 'Error', warning: 'Warning', info: 'Notice', hint: 'Notice' };

/** “Error: x is not defined.”, for each problem that begins in the line of the cursor. */
function sayProblems(state: EditorState): string {
  const line = state.doc.lineAt(state.selection.main.head);
  const said: string[] = [];
  forEachDiagnostic(state, ({ severity, message }, from) => {
    if (from < line.from || from > line.to) return;
    said.push(`${severityWords[severity]}: ${message}`);
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
