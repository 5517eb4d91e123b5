/**
 * The undo steps of a text as CodeMirror change sets, alongside Yjs's UndoManager, so that they
 * survive a reload: a reloaded Y.Doc has forgotten its deleted content, so Yjs could not undo.
 * Restored steps lie below those made since.
 */
import { ChangeSet, Text, type ChangeSpec } from '@codemirror/state';
import type * as Y from 'yjs';

/** Undo steps as saved on the device. Valid only for the text they were recorded in. */
export interface SavedUndoSteps {
  /** Fingerprint of the text: its length and a hash. */
  readonly text: string;
  readonly undo: readonly unknown[];
  readonly redo: readonly unknown[];
}

type StackEvent = 'undo' | 'redo' | 'more';

interface Step {
  /** From the text with all later steps undone, to the text with this one undone too. */
  readonly changes: ChangeSet;
  /** Restored from a previous page load: Yjs's UndoManager does not have it. */
  readonly isRestored: boolean;
}

const maxSteps = 200;
/** Largest size of a file's saved steps, in UTF-16 units of JSON. */
const maxSavedLength = 50_000;

/** One per UndoManager. It lives on while its file is closed. */
const stepsByManager = new WeakMap<Y.UndoManager, UndoSteps>();

/** The undo steps of a text. Created with the first call for an undo manager. */
export function getUndoSteps(text: Y.Text, history: Y.UndoManager): UndoSteps {
  const steps = stepsByManager.get(history) ?? new UndoSteps(text, history);
  stepsByManager.set(history, steps);
  return steps;
}

/** Undo and redo steps of one text, including those restored from a previous page load. */
export class UndoSteps {
  readonly #text: Y.Text;
  readonly #history: Y.UndoManager;
  #doc: Text;
  #undo: Step[] = [];
  #redo: Step[] = [];
  /** What the UndoManager did with the transaction that is ending. */
  #stackEvent: StackEvent | undefined;
  #pendingChange: ChangeSet | undefined;

  constructor(text: Y.Text, history: Y.UndoManager) {
    this.#text = text;
    this.#history = history;
    this.#doc = toText(text);
    text.observe((event) => (this.#pendingChange = this.#toChangeSet(event)));
    history.on('stack-item-added', ({ type }) => (this.#stackEvent = type));
    history.on('stack-item-updated', () => (this.#stackEvent = 'more'));
    // Registered after the UndoManager's own listener, so it runs later.
    text.doc?.on('afterTransaction', ({ origin }: Y.Transaction) => this.#record(origin));
  }

  undo(): void {
    if (this.#history.undoStack.length === 0) this.#applyRestored('undo');
    else this.#history.undo();
  }

  redo(): void {
    if (this.#history.redoStack.length === 0) this.#applyRestored('redo');
    else this.#history.redo();
  }

  /** The most recent steps, up to the size limit. Undefined if there are none. */
  save(): SavedUndoSteps | undefined {
    if (this.#undo.length + this.#redo.length === 0) return undefined;
    let remainingLength = maxSavedLength;
    const list = (steps: readonly Step[]) => {
      const json = steps.map(({ changes }): unknown => changes.toJSON()).toReversed();
      const fitting = json.findIndex(
        (each) => (remainingLength -= JSON.stringify(each).length) < 0,
      );
      return json.slice(0, fitting === -1 ? maxSteps : fitting).toReversed();
    };
    return { text: fingerprint(this.#doc), undo: list(this.#undo), redo: list(this.#redo) };
  }

  /** Restores saved steps, unless the text differs or has new steps already. */
  restore(saved: SavedUndoSteps): void {
    if (this.#undo.length + this.#redo.length + this.#history.undoStack.length > 0) return;
    if (saved.text !== fingerprint(this.#doc)) return;
    const read = (steps: readonly unknown[]) =>
      steps.map((each) => ({ changes: ChangeSet.fromJSON(each), isRestored: true }));
    [this.#undo, this.#redo] = [read(saved.undo), read(saved.redo)];
  }

  #applyRestored(kind: 'undo' | 'redo'): void {
    // Yjs would redo its steps at positions that have changed by then.
    this.#history.clear();
    [this.#undo, this.#redo] = [this.#undo.map(toRestored), this.#redo.map(toRestored)];
    const [from, to] = kind === 'undo' ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const step = from.pop();
    if (!step) return;
    to.push({ changes: step.changes.invert(this.#doc), isRestored: true });
    this.#text.doc?.transact(() => writeChanges(this.#text, step.changes), this);
  }

  #toChangeSet({ delta }: Y.YTextEvent): ChangeSet {
    const specs: ChangeSpec[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert } of delta) {
      if (typeof insert === 'string') specs.push({ from: at, insert: Text.of(insert.split('\n')) });
      if (removed > 0) specs.push({ from: at, to: at + removed });
      at += retain + removed;
    }
    return ChangeSet.of(specs, this.#doc.length);
  }

  #record(origin: unknown): void {
    const [changes, stackEvent] = [this.#pendingChange, this.#stackEvent];
    [this.#pendingChange, this.#stackEvent] = [undefined, undefined];
    if (!changes) return;
    const inverse = { changes: changes.invert(this.#doc), isRestored: false };
    this.#doc = changes.apply(this.#doc);
    if (origin === this) return;
    if (origin === this.#history) this.#moveStep(stackEvent, inverse);
    else if (stackEvent === 'undo') this.#pushStep(inverse);
    else if (stackEvent === 'more') this.#pushStep(mergeSteps(inverse, this.#undo.pop()));
    else
      [this.#undo, this.#redo] = [
        rebaseSteps(this.#undo, changes),
        rebaseSteps(this.#redo, changes),
      ];
  }

  /** Moves a step after Yjs has undone or redone it. */
  #moveStep(stackEvent: StackEvent | undefined, inverse: Step): void {
    const { undoStack, redoStack } = this.#history;
    const isUndo = stackEvent === 'redo';
    const [from, to] = isUndo ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const left = (isUndo ? undoStack : redoStack).length;
    // Yjs skips steps of which nothing is left.
    while (from.filter(({ isRestored }) => !isRestored).length > left) from.pop();
    to.push(inverse);
  }

  #pushStep(step: Step): void {
    this.#undo.push(step);
    if (this.#undo.length > maxSteps) this.#undo.shift();
    this.#redo = [];
  }
}

function toRestored({ changes }: Step): Step {
  return { changes, isRestored: true };
}

/** Merges an edit into the step before it. */
function mergeSteps(inverse: Step, before: Step | undefined): Step {
  return before && !before.isRestored
    ? { changes: inverse.changes.compose(before.changes), isRestored: false }
    : inverse;
}

/**
 * Rebases all steps over a remote change. Each lower step is rebased over the change as it looks
 * with the steps above undone.
 */
function rebaseSteps(steps: readonly Step[], changes: ChangeSet): Step[] {
  let remaining = changes;
  return steps
    .toReversed()
    .map((step) => {
      const moved = { ...step, changes: step.changes.map(remaining) };
      remaining = remaining.map(step.changes, true);
      return moved;
    })
    .toReversed();
}

/** Applies a change set to a shared text. The caller provides the transaction. */
export function writeChanges(text: Y.Text, changes: ChangeSet): void {
  // How much longer the text is than the document that these changes refer to.
  let lengthDelta = 0;
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    const insert = inserted.sliceString(0, inserted.length, '\n');
    if (to > from) text.delete(from + lengthDelta, to - from);
    if (insert) text.insert(from + lengthDelta, insert);
    lengthDelta += insert.length - (to - from);
  });
}

function toText(text: Y.Text): Text {
  return Text.of(text.toString().split('\n'));
}

/** FNV-1a and the length: enough to tell a text from its earlier versions. */
function fingerprint(doc: Text): string {
  const text = doc.toString();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length} ${hash >>> 0}`;
}
