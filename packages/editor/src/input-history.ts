import type { EditorView } from '@codemirror/view';

/**
 * Moves through earlier console inputs, newest first. The text typed so far is restored after the
 * newest one.
 */
export class InputHistory {
  readonly #entries: () => readonly string[];
  /** Number of entries back from the text being typed, which is 0. */
  #index = 0;
  #draft = '';

  constructor(entries: () => readonly string[]) {
    this.#entries = entries;
  }

  /** Returns to the text being typed, after an input was run. */
  reset(): void {
    this.#index = 0;
  }

  /** Moves to the previous entry if the cursor is in the first line. */
  showOlder(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number > 1) return false;
    return this.#go(view, this.#index + 1);
  }

  /** Moves to the next entry if the cursor is in the last line. */
  showNewer(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number < state.doc.lines) return false;
    return this.#go(view, this.#index - 1);
  }

  #go(view: EditorView, index: number): boolean {
    const entries = this.#entries();
    if (index < 0 || index > entries.length) return false;
    if (this.#index === 0) this.#draft = view.state.doc.toString();
    this.#index = index;
    const text = index === 0 ? this.#draft : (entries.at(-index) ?? '');
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
      scrollIntoView: true,
    });
    return true;
  }
}
