import type * as Y from 'yjs';

interface JointStep {
  readonly histories: readonly Y.UndoManager[];
  /** History of the whole edit, including added and deleted files. */
  readonly whole: Y.UndoManager;
}

/**
 * Edits to several files that undo as one step. Each file has its own undo history; undoing the
 * step in one of them undoes it in all. In a file with newer edits on top, the step stays.
 */
export class MultiFileUndo {
  /** Histories that are observed already. */
  readonly #heard = new WeakSet<Y.UndoManager>();
  /** True while a step is being undone or redone in its other files. */
  #isFollowing = false;

  /**
   * Runs an edit of texts with these histories as one step. `edit` returns the history of the
   * whole. The returned function undoes the step regardless of newer edits.
   */
  perform(histories: readonly Y.UndoManager[], edit: () => Y.UndoManager): () => void {
    for (const history of histories) {
      this.#hear(history);
      history.stopCapturing();
    }
    const whole = edit();
    const step: JointStep = { histories, whole };
    for (const history of histories) {
      history.undoStack.at(-1)?.meta.set(this, step);
      history.stopCapturing();
    }
    return () => void whole.undo();
  }

  #hear(history: Y.UndoManager): void {
    if (this.#heard.has(history)) return;
    this.#heard.add(history);
    history.on('stack-item-popped', ({ stackItem, type }) => {
      const step: JointStep | undefined = stackItem.meta.get(this);
      if (!step) return;
      const other = type === 'undo' ? history.redoStack : history.undoStack;
      other.at(-1)?.meta.set(this, step);
      if (!this.#isFollowing) this.#follow(step, history, type);
    });
  }

  #follow(step: JointStep, first: Y.UndoManager, type: 'undo' | 'redo'): void {
    this.#isFollowing = true;
    for (const history of step.histories) {
      const stack = type === 'undo' ? history.undoStack : history.redoStack;
      if (history !== first && stack.at(-1)?.meta.get(this) === step) history[type]();
    }
    step.whole[type]();
    this.#isFollowing = false;
  }
}
