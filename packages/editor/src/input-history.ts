import type { EditorView } from '@codemirror/view';

/**
 * Moves through earlier console inputs, newest first. Moving past the newest one restores the text
 * typed so far.
 */
export class InputHistory {
  readonly #entries: () => readonly string[];
  /** Position in the history: 0 is the text being typed, 1 the newest entry. */
  #position = 0;
  /** The text being typed, while an entry is shown. */
  #draft = '';

  constructor(entries: () => readonly string[]) {
    this.#entries = entries;
  }

  /** Resets the position, but not the text. Call it after an input has run. */
  reset(): void {
    this.#position = 0;
  }

  /** Moves to the previous entry if the cursor is in the first line. */
  showOlder(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number > 1) return false;
    return this.#showEntry(view, this.#position + 1);
  }

  /** Moves to the next entry if the cursor is in the last line. */
  showNewer(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number < state.doc.lines) return false;
    return this.#showEntry(view, this.#position - 1);
  }

  #showEntry(view: EditorView, position: number): boolean {
    const entries = this.#entries();
    if (position < 0 || position > entries.length) return false;
    if (this.#position === 0) this.#draft = view.state.doc.toString();
    this.#position = position;
    const text = position === 0 ? this.#draft : (entries.at(-position) ?? '');
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
      scrollIntoView: true,
    });
    return true;
  }
}
