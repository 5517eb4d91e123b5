import type * as Y from 'yjs';

interface MultiFileEdit {
  readonly histories: readonly Y.UndoManager[];
  /** History of the whole edit, including added and deleted files. */
  readonly wholeEdit: Y.UndoManager;
}

/**
 * Edits to several files that undo as one step. Each file has its own undo history; undoing the step in
 * one of them undoes it in all. In a file with newer edits on top, the step stays.
 */
export class MultiFileUndo {
  /** Undo managers that already have the listener. */
  readonly #observed = new WeakSet<Y.UndoManager>();
  /** True while a step is being undone or redone in its other files. */
  #isApplyingToOthers = false;

  /**
   * Runs an edit of texts with these histories as one step. `edit` returns the history of the
   * whole edit. The returned function undoes the step regardless of newer edits.
   */
  perform(histories: readonly Y.UndoManager[], edit: () => Y.UndoManager): () => void {
    for (const history of histories) {
      this.#observe(history);
      history.stopCapturing();
    }
    const wholeEdit = edit();
    const multiFileEdit: MultiFileEdit = { histories, wholeEdit };
    for (const history of histories) {
      history.undoStack.at(-1)?.meta.set(this, multiFileEdit);
      history.stopCapturing();
    }
    return () => void wholeEdit.undo();
  }

  #observe(history: Y.UndoManager): void {
    if (this.#observed.has(history)) return;
    this.#observed.add(history);
    history.on('stack-item-popped', ({ stackItem, type }) => {
      const multiFileEdit: MultiFileEdit | undefined = stackItem.meta.get(this);
      if (!multiFileEdit) return;
      const other = type === 'undo' ? history.redoStack : history.undoStack;
      other.at(-1)?.meta.set(this, multiFileEdit);
      if (!this.#isApplyingToOthers) this.#applyToOthers(multiFileEdit, history, type);
    });
  }

  #applyToOthers(multiFileEdit: MultiFileEdit, origin: Y.UndoManager, type: 'undo' | 'redo'): void {
    this.#isApplyingToOthers = true;
    for (const history of multiFileEdit.histories) {
      const stack = type === 'undo' ? history.undoStack : history.redoStack;
      if (history !== origin && stack.at(-1)?.meta.get(this) === multiFileEdit) history[type]();
    }
    multiFileEdit.wholeEdit[type]();
    this.#isApplyingToOthers = false;
  }
}
