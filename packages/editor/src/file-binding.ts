import {
  Transaction,
  type ChangeSet,
  type ChangeSpec,
  type EditorState,
  type TransactionSpec,
} from '@codemirror/state';
import type { ViewUpdate } from '@codemirror/view';
import * as Y from 'yjs';
import { remoteChangeAnnotations, isRemoteChange } from './remote-changes.ts';
import { undoGroup } from './undo-group.ts';
import { getUndoSteps, writeChanges, type SavedUndoSteps, type UndoSteps } from './undo-steps.ts';

/** A file of the project, edited in its shared text. */
export interface EditableFile {
  readonly path: string;
  readonly text: Y.Text;
  /** The undo manager of this text. The editor's edits are tracked by it. */
  readonly undo: Y.UndoManager;
}

/** A text that isn't shared, shown read-only. It has no undo steps, folds or diagnostics. */
export interface ReadOnlyFile {
  /** Path by which the language services know the text. Not that of an editable file. */
  readonly path: string;
  readonly content: string;
  /** Name in the editor's accessible name, by default the path. */
  readonly name?: string;
}

/** What an editor opens. */
export type EditorFile = EditableFile | ReadOnlyFile;

interface RelativeSelection {
  readonly anchor: Y.RelativePosition;
  readonly head: Y.RelativePosition;
}

/**
 * Binds one open file's shared text to its editor state, whether it is shown or not. Changes flow
 * both ways; each side ignores its own, whose transaction origin is this object. Lives until the
 * file is closed in the editor.
 */
export class FileBinding {
  path: string;
  /** The editor state while another file is shown. While this one is shown, the view's state. */
  state: EditorState;
  readonly text: Y.Text;
  readonly undoManager: Y.UndoManager;
  readonly #undoSteps: UndoSteps;
  readonly #apply: (file: FileBinding, spec: TransactionSpec) => void;
  /** Selection before the edit in progress, stored with its undo step. */
  #selectionBefore: RelativeSelection | undefined;
  #lastUserEvent = '';
  /** The undo group of the keymap's last update. */
  #undoGroup: object | undefined;

  /** @param apply Dispatches a transaction to this file's state, shown or not. */
  constructor(
    { path, text, undo }: EditableFile,
    state: EditorState,
    apply: (file: FileBinding, spec: TransactionSpec) => void,
  ) {
    this.path = path;
    this.text = text;
    this.undoManager = undo;
    this.#undoSteps = getUndoSteps(text, undo);
    this.state = state;
    this.#apply = apply;
    text.observe(this.#applyTextEvent);
    undo.addTrackedOrigin(this);
    undo.on('stack-item-added', this.#rememberSelection);
    undo.on('stack-item-popped', this.#restoreSelection);
  }

  /** Writes the edits of a view update to the shared text. */
  applyViewUpdate(update: ViewUpdate): void {
    const group = update.state.facet(undoGroup)?.(update.view);
    const isOtherGroup = group !== this.#undoGroup;
    this.#undoGroup = group;
    // A cursor move during input method composition does not end the undo step.
    const isCursorMove = update.selectionSet && !update.docChanged && !update.view.composing;
    if (isOtherGroup || (isCursorMove && (!group || isUserSelection(update))))
      this.undoManager.stopCapturing();
    for (const transaction of update.transactions) {
      if (!transaction.docChanged || isRemoteChange(transaction)) continue;
      if (!group) this.#startStepIfNeeded(transaction);
      this.#selectionBefore = this.#toRelative(transaction.startState);
      if (group) this.#writeToGroup(transaction.changes);
      else this.write(transaction.changes);
    }
  }

  /**
   * Writes an edit of a keymap's undo group, which is merged into one step however long ago the
   * last edit was.
   */
  #writeToGroup(changes: ChangeSet): void {
    const { captureTimeout } = this.undoManager;
    this.undoManager.captureTimeout = Infinity;
    this.write(changes);
    this.undoManager.captureTimeout = captureTimeout;
  }

  /** Writes changes that the editor state already contains to the shared text. */
  write(changes: ChangeSet): void {
    const { doc } = this.text;
    if (!doc) throw new Error(`the text of ${this.path} belongs to no document`);
    if (!changes.empty) doc.transact(() => writeChanges(this.text, changes), this);
  }

  undoEdit(): void {
    this.#selectionBefore = this.#toRelative(this.state);
    this.#undoSteps.undo();
  }

  redoEdit(): void {
    this.#selectionBefore = this.#toRelative(this.state);
    this.#undoSteps.redo();
  }

  /** Undo and redo steps, to be restored after a reload. */
  saveUndoSteps(): SavedUndoSteps | undefined {
    return this.#undoSteps.save();
  }

  restoreUndoSteps(saved: SavedUndoSteps): void {
    this.#undoSteps.restore(saved);
  }

  close(): void {
    this.text.unobserve(this.#applyTextEvent);
    this.undoManager.removeTrackedOrigin(this);
    this.undoManager.off('stack-item-added', this.#rememberSelection);
    this.undoManager.off('stack-item-popped', this.#restoreSelection);
  }

  /**
   * Consecutive typing or deleting is one undo step; line breaks and pastes are steps of their own.
   */
  #startStepIfNeeded(transaction: Transaction): void {
    const userEvent = userEventOf(transaction);
    // An auto-import is part of the step of the completion that caused it.
    if (userEvent === 'input.complete.import') return;
    const isSameKind = userEvent.startsWith('input.type') || userEvent.startsWith('delete.');
    if (!isSameKind || userEvent !== this.#lastUserEvent || insertsLine(transaction))
      this.undoManager.stopCapturing();
    this.#lastUserEvent = userEvent;
  }

  #applyTextEvent = (event: Y.YTextEvent, transaction: Y.Transaction): void => {
    if (transaction.origin === this) return;
    const changes: ChangeSpec[] = [];
    let at = 0;
    for (const { retain = 0, delete: removed = 0, insert } of event.delta) {
      if (typeof insert === 'string') changes.push({ from: at, insert });
      if (removed > 0) changes.push({ from: at, to: at + removed });
      at += retain + removed;
    }
    const spec = { changes, annotations: remoteChangeAnnotations };
    this.#apply(this, transaction.origin === this.#undoSteps ? this.#selectEnd(spec) : spec);
  };

  /**
   * Selects the end of an undone change. Steps restored from a previous page load have no
   * selection.
   */
  #selectEnd(spec: { readonly changes: ChangeSpec[] }): TransactionSpec {
    let end = 0;
    this.state.changes(spec.changes).iterChangedRanges((_fromA, _toA, _fromB, to) => (end = to));
    return { ...spec, selection: { anchor: end }, scrollIntoView: true };
  }

  #rememberSelection = ({ stackItem, changedParentTypes }: UndoEvent): void => {
    if (!changedParentTypes.has(this.text) || stackItem.meta.has(this)) return;
    stackItem.meta.set(this, this.#selectionBefore);
  };

  #restoreSelection = ({ stackItem }: UndoEvent): void => {
    const before: unknown = stackItem.meta.get(this);
    if (!isSelection(before)) return;
    const anchor = this.#toAbsolute(before.anchor);
    const head = this.#toAbsolute(before.head);
    if (anchor === undefined || head === undefined) return;
    this.#apply(this, { selection: { anchor, head }, scrollIntoView: true });
  };

  #toRelative({ selection: { main } }: EditorState): RelativeSelection {
    // Associated with the character before, so that text inserted here later comes after it.
    const at = (index: number) => Y.createRelativePositionFromTypeIndex(this.text, index, -1);
    return { anchor: at(main.anchor), head: at(main.head) };
  }

  #toAbsolute(position: Y.RelativePosition): number | undefined {
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

/**
 * The user event of an edit. Text composed by an input method counts as typing from its first
 * character on.
 */
function userEventOf(transaction: Transaction): string {
  const userEvent = transaction.annotation(Transaction.userEvent) ?? '';
  return userEvent.startsWith('input.type.compose') ? 'input.type' : userEvent;
}

function isUserSelection({ transactions }: ViewUpdate): boolean {
  return transactions.some((transaction) => transaction.isUserEvent('select'));
}

function insertsLine({ changes }: Transaction): boolean {
  let found = false;
  changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => (found ||= inserted.lines > 1));
  return found;
}
