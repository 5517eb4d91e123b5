import {
  Transaction,
  type ChangeSet,
  type ChangeSpec,
  type EditorState,
  type TransactionSpec,
} from '@codemirror/state';
import type { ViewUpdate } from '@codemirror/view';
import * as Y from 'yjs';
import { bringsIn, isFromText } from './from-text.ts';
import { undoStep } from './undo-step.ts';
import { undoStepsOf, writeChanges, type KeptSteps, type UndoSteps } from './undo-steps.ts';

/** A file as the editor is given it. */
export interface EditorFile {
  readonly path: string;
  readonly text: Y.Text;
  /** The undo history of this text; the editor adds its own edits to it. */
  readonly undo: Y.UndoManager;
}

interface RelativeSelection {
  readonly anchor: Y.RelativePosition;
  readonly head: Y.RelativePosition;
}

/**
 * One file, open in the editor or behind another: joins its text, which all replicas share, with its
 * editor state. Changes of either reach the other; each side's echo is known by its origin, which
 * is this object. It lives until its file leaves the editor.
 */
export class SharedFile {
  path: string;
  /** The state while another file is shown; the view's own state otherwise. */
  state: EditorState;
  readonly text: Y.Text;
  readonly undo: Y.UndoManager;
  readonly #steps: UndoSteps;
  readonly #apply: (file: SharedFile, spec: TransactionSpec) => void;
  /** Where the selection was before the change that is being made, for undoing it. */
  #before: RelativeSelection | undefined;
  #lastEdit = '';
  /** What the keymap made one step of, when it was last asked. */
  #step: object | undefined;

  /** `apply` puts a transaction on this file's state, shown or not. */
  constructor(
    { path, text, undo }: EditorFile,
    state: EditorState,
    apply: (file: SharedFile, spec: TransactionSpec) => void,
  ) {
    this.path = path;
    this.text = text;
    this.undo = undo;
    this.#steps = undoStepsOf(text, undo);
    this.state = state;
    this.#apply = apply;
    text.observe(this.#takeFromText);
    undo.addTrackedOrigin(this);
    undo.on('stack-item-added', this.#rememberSelection);
    undo.on('stack-item-popped', this.#restoreSelection);
  }

  /** Puts what was typed into the text. */
  takeFromView(update: ViewUpdate): void {
    const step = update.state.facet(undoStep)?.(update.view);
    const isOther = step !== this.#step;
    this.#step = step;
    // An input method moves within what it composes, which stays one step.
    const isMove = update.selectionSet && !update.docChanged && !update.view.composing;
    if (isOther || (isMove && (!step || isMadeByPerson(update)))) this.undo.stopCapturing();
    for (const transaction of update.transactions) {
      if (!transaction.docChanged || isFromText(transaction)) continue;
      if (!step) this.#groupEdits(transaction);
      this.#before = this.#relative(transaction.startState);
      if (step) this.#writeOn(transaction.changes);
      else this.write(transaction.changes);
    }
  }

  /** However long it is since the last edit of the step. */
  #writeOn(changes: ChangeSet): void {
    const { captureTimeout } = this.undo;
    this.undo.captureTimeout = Infinity;
    this.write(changes);
    this.undo.captureTimeout = captureTimeout;
  }

  /** Puts changes that the state has already into the text. */
  write(changes: ChangeSet): void {
    const { doc } = this.text;
    if (!doc) throw new Error(`the text of ${this.path} belongs to no document`);
    if (!changes.empty) doc.transact(() => writeChanges(this.text, changes), this);
  }

  undoEdit(): void {
    this.#before = this.#relative(this.state);
    this.#steps.undo();
  }

  redoEdit(): void {
    this.#before = this.#relative(this.state);
    this.#steps.redo();
  }

  /** What undo could take back and make again, for when the page is loaded again. */
  keepSteps(): KeptSteps | undefined {
    return this.#steps.keep();
  }

  restoreSteps(kept: KeptSteps): void {
    this.#steps.restore(kept);
  }

  close(): void {
    this.text.unobserve(this.#takeFromText);
    this.undo.removeTrackedOrigin(this);
    this.undo.off('stack-item-added', this.#rememberSelection);
    this.undo.off('stack-item-popped', this.#restoreSelection);
  }

  /** Typing is undone in one go until one does something else; line breaks and pastes stand alone. */
  #groupEdits(transaction: Transaction): void {
    const edit = kindOf(transaction);
    // It came with the name that was completed, and goes with it.
    if (edit === 'input.complete.import') return;
    const isSameKind = edit.startsWith('input.type') || edit.startsWith('delete.');
    if (!isSameKind || edit !== this.#lastEdit || insertsLine(transaction))
      this.undo.stopCapturing();
    this.#lastEdit = edit;
  }

  #takeFromText = (event: Y.YTextEvent, transaction: Y.Transaction): void => {
    if (transaction.origin === this) return;
    const changes: ChangeSpec[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert } of event.delta) {
      if (typeof insert === 'string') changes.push({ from: at, insert });
      if (removed > 0) changes.push({ from: at, to: at + removed });
      at += retain + removed;
    }
    const spec = { changes, annotations: bringsIn };
    this.#apply(this, transaction.origin === this.#steps ? this.#selectEnd(spec) : spec);
  };

  /** A step of another life of the page knows no selection. */
  #selectEnd(spec: { readonly changes: ChangeSpec[] }): TransactionSpec {
    let end = 0;
    this.state.changes(spec.changes).iterChangedRanges((_fromA, _toA, _fromB, to) => (end = to));
    return { ...spec, selection: { anchor: end }, scrollIntoView: true };
  }

  #rememberSelection = ({ stackItem, changedParentTypes }: UndoEvent): void => {
    if (!changedParentTypes.has(this.text) || stackItem.meta.has(this)) return;
    stackItem.meta.set(this, this.#before);
  };

  #restoreSelection = ({ stackItem }: UndoEvent): void => {
    const before: unknown = stackItem.meta.get(this);
    if (!isSelection(before)) return;
    const anchor = this.#absolute(before.anchor);
    const head = this.#absolute(before.head);
    if (anchor === undefined || head === undefined) return;
    this.#apply(this, { selection: { anchor, head }, scrollIntoView: true });
  };

  #relative({ selection: { main } }: EditorState): RelativeSelection {
    // Bound to the character before, so that what is typed here later comes after it.
    const at = (index: number) => Y.createRelativePositionFromTypeIndex(this.text, index, -1);
    return { anchor: at(main.anchor), head: at(main.head) };
  }

  #absolute(position: Y.RelativePosition): number | undefined {
    const { doc } = this.text;
    return doc ? Y.createAbsolutePositionFromRelativePosition(position, doc)?.index : undefined;
  }
}

interface UndoEvent {
  readonly stackItem: { readonly meta: Map<unknown, unknown> };
  readonly changedParentTypes: ReadonlyMap<unknown, unknown>;
}

function isSelection(value: unknown): value is RelativeSelection {
  return typeof value === 'object' && value !== null && 'anchor' in value && 'head' in value;
}

/** What an input method composes, from its first letter on, is typing like any other. */
function kindOf(transaction: Transaction): string {
  const edit = transaction.annotation(Transaction.userEvent) ?? '';
  return edit.startsWith('input.type.compose') ? 'input.type' : edit;
}

function isMadeByPerson({ transactions }: ViewUpdate): boolean {
  return transactions.some((transaction) => transaction.isUserEvent('select'));
}

function insertsLine({ changes }: Transaction): boolean {
  let found = false;
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => (found ||= inserted.lines > 1));
  return found;
}
