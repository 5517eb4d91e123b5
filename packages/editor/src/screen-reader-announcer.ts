import { completionStatus, currentCompletions } from '@codemirror/autocomplete';
import { forEachDiagnostic, setDiagnosticsEffect } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/*
 * Announces to screen readers what others see at a glance: the diagnostics of the line the cursor
 * moves to, new diagnostics in the line being edited, and the number of completions. Announcements
 * are delayed, so that moving on or typing does not trigger one for each key.
 */

const moveDelayMs = 250;
/** Delay after the last change of the text or its diagnostics. */
const editDelayMs = 1_000;

/** Announces diagnostics and completions through CodeMirror's live region. */
export const screenReaderAnnouncer = ViewPlugin.fromClass(
  class {
    readonly #view: EditorView;
    #moveTimer: ReturnType<typeof setTimeout> | undefined;
    #editTimer: ReturnType<typeof setTimeout> | undefined;
    /** Diagnostics of the cursor's line as last announced; '' if it had none. */
    #announced = '';

    constructor(view: EditorView) {
      this.#view = view;
    }

    update(update: ViewUpdate): void {
      const { startState, state, docChanged, selectionSet } = update;
      const isChoosing = completionStatus(state) === 'active';
      const wasChoosing = completionStatus(startState) === 'active';
      if (isChoosing && !wasChoosing) this.#scheduleCompletions();
      else if (selectionSet && !docChanged && lineNumberOf(startState) !== lineNumberOf(state))
        this.#scheduleLine();
      else if (docChanged || wasChoosing !== isChoosing || hasNewDiagnostics(update))
        this.#scheduleNewDiagnostics();
    }

    destroy(): void {
      clearTimeout(this.#moveTimer);
      clearTimeout(this.#editTimer);
    }

    #scheduleCompletions(): void {
      clearTimeout(this.#moveTimer);
      this.#moveTimer = setTimeout(
        () => this.#announce(describeCompletions(this.#view.state)),
        moveDelayMs,
      );
    }

    #scheduleLine(): void {
      this.destroy();
      this.#moveTimer = setTimeout(() => {
        this.#announced = describeDiagnostics(this.#view.state);
        this.#announce(this.#announced);
      }, moveDelayMs);
    }

    #scheduleNewDiagnostics(): void {
      clearTimeout(this.#editTimer);
      this.#editTimer = setTimeout(() => {
        const { state, hasFocus } = this.#view;
        // The completion list is announced first; closing it causes another update.
        if (!hasFocus || completionStatus(state) === 'active') return;
        const message = describeDiagnostics(state);
        if (message !== this.#announced) this.#announce(message);
        this.#announced = message;
      }, editDelayMs);
    }

    #announce(message: string): void {
      if (message !== '' && this.#view.hasFocus)
        this.#view.dispatch({ effects: EditorView.announce.of(message) });
    }
  },
);

function hasNewDiagnostics({ transactions }: ViewUpdate): boolean {
  return transactions.some(({ effects }) =>
    effects.some((effect) => effect.is(setDiagnosticsEffect)),
  );
}

function describeCompletions(state: EditorState): string {
  const count = currentCompletions(state).length;
  if (count === 0) return '';
  return count === 1 ? '1 completion.' : `${count} completions.`;
}

const severityLabels = { error: 'Error', warning: 'Warning', info: 'Info', hint: 'Info' };

/** "Error: x is not defined.", for each diagnostic that starts in the cursor's line. */
function describeDiagnostics(state: EditorState): string {
  const line = state.doc.lineAt(state.selection.main.head);
  const messages: string[] = [];
  forEachDiagnostic(state, ({ severity, message }, from) => {
    if (from < line.from || from > line.to) return;
    messages.push(`${severityLabels[severity]}: ${message}`);
  });
  return messages.join(' ');
}

function lineNumberOf(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}

/** Announces "Line 3 of 10, column 5." and the line's diagnostics. */
export function announceCursorPosition(view: EditorView): boolean {
  const { state } = view;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const position = `Line ${line.number} of ${state.doc.lines}, column ${head - line.from + 1}.`;
  view.dispatch({
    effects: EditorView.announce.of(`${position} ${describeDiagnostics(state)}`.trim()),
  });
  return true;
}
