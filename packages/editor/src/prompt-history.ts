import type { EditorView } from '@codemirror/view';

/** Walks through what was run before, from the newest back; what was being typed comes at the end. */
export class PromptHistory {
  readonly #entries: () => readonly string[];
  /** How many steps back; 0 is what is being typed. */
  #back = 0;
  #typed = '';

  constructor(entries: () => readonly string[]) {
    this.#entries = entries;
  }

  begin(): void {
    this.#back = 0;
  }

  /** From the first line: one step back. */
  older(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number > 1) return false;
    return this.#go(view, this.#back + 1);
  }

  /** From the last line: one step forward. */
  newer(view: EditorView): boolean {
    const { state } = view;
    if (state.doc.lineAt(state.selection.main.head).number < state.doc.lines) return false;
    return this.#go(view, this.#back - 1);
  }

  #go(view: EditorView, back: number): boolean {
    const entries = this.#entries();
    if (back < 0 || back > entries.length) return false;
    if (this.#back === 0) this.#typed = view.state.doc.toString();
    this.#back = back;
    const text = back === 0 ? this.#typed : (entries.at(-back) ?? '');
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: text.length },
      scrollIntoView: true,
    });
    return true;
  }
}
