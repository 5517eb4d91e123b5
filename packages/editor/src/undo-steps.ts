/**
 * The steps of a text's undo as changes of plain text, beside what Yjs keeps, so that they outlive
 * the page: a document that is loaded again has forgotten what was deleted, and Yjs could bring none
 * of it back. What came from the device lies beneath what was done since.
 */
import { ChangeSet, Text, type ChangeSpec } from '@codemirror/state';
import type * as Y from 'yjs';

/** As they are kept on a device, for the text that they were counted in and no other. */
export interface KeptSteps {
  /** Of the text: its length and a number made of it. */
  readonly text: string;
  readonly undo: readonly unknown[];
  readonly redo: readonly unknown[];
}

type Heard = 'undo' | 'redo' | 'more';

interface Step {
  /** From the text as it is once all steps above are taken, to the text with this one taken. */
  readonly changes: ChangeSet;
  /** Yjs knows nothing of it. */
  readonly isKept: boolean;
}

const stepsMax = 200;
/** In UTF-16 units of what is kept for one file. */
const keptMax = 50_000;

/** One per history: it goes on while the file is not open. */
const known = new WeakMap<Y.UndoManager, UndoSteps>();

export function undoStepsOf(text: Y.Text, history: Y.UndoManager): UndoSteps {
  const steps = known.get(history) ?? new UndoSteps(text, history);
  known.set(history, steps);
  return steps;
}

export class UndoSteps {
  readonly #text: Y.Text;
  readonly #history: Y.UndoManager;
  #doc: Text;
  #undo: Step[] = [];
  #redo: Step[] = [];
  /** What the history made of the transaction that ends now. */
  #heard: Heard | undefined;
  #change: ChangeSet | undefined;

  constructor(text: Y.Text, history: Y.UndoManager) {
    this.#text = text;
    this.#history = history;
    this.#doc = toText(text);
    text.observe((event) => (this.#change = this.#read(event)));
    history.on('stack-item-added', ({ type }) => (this.#heard = type));
    history.on('stack-item-updated', () => (this.#heard = 'more'));
    // Behind the history's own listener, which came first.
    text.doc?.on('afterTransaction', ({ origin }: Y.Transaction) => this.#take(origin));
  }

  undo(): void {
    if (this.#history.undoStack.length === 0) this.#takeKept('undo');
    else this.#history.undo();
  }

  redo(): void {
    if (this.#history.redoStack.length === 0) this.#takeKept('redo');
    else this.#history.redo();
  }

  /** The latest steps, as far as there is room; undefined where there are none. */
  keep(): KeptSteps | undefined {
    if (this.#undo.length + this.#redo.length === 0) return undefined;
    let room = keptMax;
    const list = (steps: readonly Step[]) => {
      const json = steps.map(({ changes }): unknown => changes.toJSON()).toReversed();
      const fitting = json.findIndex((each) => (room -= JSON.stringify(each).length) < 0);
      return json.slice(0, fitting === -1 ? stepsMax : fitting).toReversed();
    };
    return { text: mark(this.#doc), undo: list(this.#undo), redo: list(this.#redo) };
  }

  /** Takes in what was kept, unless the text is another one or something was done already. */
  restore(kept: KeptSteps): void {
    if (this.#undo.length + this.#redo.length + this.#history.undoStack.length > 0) return;
    if (kept.text !== mark(this.#doc)) return;
    const read = (steps: readonly unknown[]) =>
      steps.map((each) => ({ changes: ChangeSet.fromJSON(each), isKept: true }));
    [this.#undo, this.#redo] = [read(kept.undo), read(kept.redo)];
  }

  #takeKept(kind: 'undo' | 'redo'): void {
    // Yjs would make its steps again beside letters that are others by then.
    this.#history.clear();
    [this.#undo, this.#redo] = [this.#undo.map(toKept), this.#redo.map(toKept)];
    const [from, to] = kind === 'undo' ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const step = from.pop();
    if (!step) return;
    to.push({ changes: step.changes.invert(this.#doc), isKept: true });
    this.#text.doc?.transact(() => writeChanges(this.#text, step.changes), this);
  }

  #read({ delta }: Y.YTextEvent): ChangeSet {
    const specs: ChangeSpec[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert } of delta) {
      if (typeof insert === 'string') specs.push({ from: at, insert: Text.of(insert.split('\n')) });
      if (removed > 0) specs.push({ from: at, to: at + removed });
      at += retain + removed;
    }
    return ChangeSet.of(specs, this.#doc.length);
  }

  #take(origin: unknown): void {
    const [changes, heard] = [this.#change, this.#heard];
    [this.#change, this.#heard] = [undefined, undefined];
    if (!changes) return;
    const back = { changes: changes.invert(this.#doc), isKept: false };
    this.#doc = changes.apply(this.#doc);
    if (origin === this) return;
    if (origin === this.#history) this.#turn(heard, back);
    else if (heard === 'undo') this.#add(back);
    else if (heard === 'more') this.#add(join(back, this.#undo.pop()));
    else [this.#undo, this.#redo] = [over(this.#undo, changes), over(this.#redo, changes)];
  }

  /** Yjs has taken a step back, or made it again. */
  #turn(heard: Heard | undefined, back: Step): void {
    const { undoStack, redoStack } = this.#history;
    const isUndo = heard === 'redo';
    const [from, to] = isUndo ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const left = (isUndo ? undoStack : redoStack).length;
    // It passes over steps of which nothing is left.
    while (from.filter(({ isKept }) => !isKept).length > left) from.pop();
    to.push(back);
  }

  #add(step: Step): void {
    this.#undo.push(step);
    if (this.#undo.length > stepsMax) this.#undo.shift();
    this.#redo = [];
  }
}

function toKept({ changes }: Step): Step {
  return { changes, isKept: true };
}

/** An edit that goes on with the one before is one step with it. */
function join(back: Step, before: Step | undefined): Step {
  return before && !before.isKept
    ? { changes: back.changes.compose(before.changes), isKept: false }
    : back;
}

/** What somebody else has changed moves every step; those beneath by what it is once those above are taken. */
function over(steps: readonly Step[], changes: ChangeSet): Step[] {
  let other = changes;
  return steps
    .toReversed()
    .map((step) => {
      const moved = { ...step, changes: step.changes.map(other) };
      other = other.map(step.changes, true);
      return moved;
    })
    .toReversed();
}

export function writeChanges(text: Y.Text, changes: ChangeSet): void {
  // How much longer the text is by now than the document these changes are counted in.
  let grown = 0;
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    const insert = inserted.sliceString(0, inserted.length, '\n');
    if (to > from) text.delete(from + grown, to - from);
    if (insert) text.insert(from + grown, insert);
    grown += insert.length - (to - from);
  });
}

function toText(text: Y.Text): Text {
  return Text.of(text.toString().split('\n'));
}

/** FNV-1a with the length: enough to tell a text from the ones that it has been. */
function mark(doc: Text): string {
  const text = doc.toString();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `${text.length} ${hash >>> 0}`;
}
