import type * as Y from 'yjs';

interface JointStep {
  readonly histories: readonly Y.UndoManager[];
  /** All of it, with what stands in no text. */
  readonly whole: Y.UndoManager;
}

/**
 * Edits of several files that are one step: every file has an undo of its own, and taking the step
 * back in one of them takes it back in all. What was done on top of it elsewhere stays.
 */
export class JointSteps {
  /** Who is heard already. */
  readonly #heard = new WeakSet<Y.UndoManager>();
  /** While a step goes through the files it has been undone or redone in one of. */
  #isFollowing = false;

  /**
   * Makes edits, to texts with these histories, as one step; `edit` returns the history of the whole.
   * The answer takes the step back whatever was done on top of it.
   */
  make(histories: readonly Y.UndoManager[], edit: () => Y.UndoManager): () => void {
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
