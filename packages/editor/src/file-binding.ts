import {
  Transaction,
  type ChangeDesc,
  type ChangeSet,
  type ChangeSpec,
  type EditorState,
  type Text,
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

/** Selections stored with a step of the undo manager. */
interface StepSelections {
  /** Selection before the edit, selected again by undo. */
  readonly before?: RelativeSelection | undefined;
  /** Selection after the edit, selected again by redo. Set if it was at the change when undone. */
  readonly after?: RelativeSelection | undefined;
}

type StackItem = Y.UndoManager['undoStack'][number];

/** What an undo or redo in progress has done so far. */
interface RunningUndo {
  /** The change of the text. */
  changes?: ChangeSet;
  /** The step of the undo manager. Undefined for a step restored from a previous page load. */
  step?: StackItem;
  /** The step that reverts this one. */
  opposite?: StackItem;
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
  /** Set while this editor undoes or redoes, and not while another one with the same file does. */
  #runningUndo: RunningUndo | undefined;
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
    undo.on('stack-item-popped', this.#noteStep);
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
    this.#runStep('undo');
  }

  redoEdit(): void {
    this.#runStep('redo');
  }

  /**
   * Undoes or redoes a step and shows what it changes: selects what was selected when the step was
   * made, or the change nearest to that.
   */
  #runStep(kind: 'undo' | 'redo'): void {
    const running: RunningUndo = {};
    const { doc, selection } = this.state;
    const current = this.#toRelative(this.state);
    this.#runningUndo = running;
    try {
      this.#undoSteps[kind]();
    } finally {
      this.#runningUndo = undefined;
    }
    const { changes, step, opposite } = running;
    if (!changes) return;
    const { before, after } = readSelections(step?.meta.get(this));
    const isAtChange = listChangedRanges(changes.invertedDesc).some((range) =>
      isOnLinesOf(range, selection.main, doc),
    );
    opposite?.meta.set(this, {
      before,
      after: kind === 'redo' ? after : isAtChange ? current : undefined,
    } satisfies StepSelections);
    const stored = this.#toAbsolute(kind === 'undo' ? before : after);
    const near = stored ?? this.#toAbsolute(before) ?? this.state.selection.main;
    this.#apply(this, {
      selection: this.#selectNearest(listChangedRanges(changes), near, stored !== undefined),
      scrollIntoView: true,
    });
  }

  /**
   * Returns a selection at the change that is nearest to `near`: its end, or `near` itself if that
   * is on the lines of the change and `isExact`.
   */
  #selectNearest(
    changed: readonly OffsetRange[],
    near: SelectionSpec,
    isExact: boolean,
  ): SelectionSpec {
    const distance = ({ from, to }: OffsetRange) => Math.max(from - near.head, near.head - to, 0);
    const [first = { from: 0, to: 0 }, ...others] = changed;
    const nearest = others.reduce(
      (best, each) => (distance(each) < distance(best) ? each : best),
      first,
    );
    const range = { from: Math.min(near.anchor, near.head), to: Math.max(near.anchor, near.head) };
    const isKept = isExact && isOnLinesOf(nearest, range, this.state.doc);
    return isKept ? near : { anchor: nearest.to, head: nearest.to };
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
    this.undoManager.off('stack-item-popped', this.#noteStep);
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
    if (this.#runningUndo) this.#runningUndo.changes = this.state.changes(changes);
    this.#apply(this, { changes, annotations: remoteChangeAnnotations });
  };

  #rememberSelection = ({ stackItem, changedParentTypes }: UndoEvent): void => {
    if (this.#runningUndo) this.#runningUndo.opposite = stackItem;
    else if (changedParentTypes.has(this.text) && !stackItem.meta.has(this))
      stackItem.meta.set(this, { before: this.#selectionBefore } satisfies StepSelections);
  };

  #noteStep = ({ stackItem }: UndoEvent): void => {
    if (this.#runningUndo) this.#runningUndo.step = stackItem;
  };

  #toRelative({ selection: { main } }: EditorState): RelativeSelection {
    // Associated with the character before, so that text inserted here later comes after it.
    const at = (index: number) => Y.createRelativePositionFromTypeIndex(this.text, index, -1);
    return { anchor: at(main.anchor), head: at(main.head) };
  }

  /** Undefined if there is no selection, or an end of it is in no text of the document. */
  #toAbsolute(selection: RelativeSelection | undefined): SelectionSpec | undefined {
    const { doc } = this.text;
    if (!doc || !selection) return undefined;
    const at = (position: Y.RelativePosition) =>
      Y.createAbsolutePositionFromRelativePosition(position, doc)?.index;
    const [anchor, head] = [at(selection.anchor), at(selection.head)];
    return anchor === undefined || head === undefined ? undefined : { anchor, head };
  }
}

interface UndoEvent {
  readonly stackItem: StackItem;
  readonly changedParentTypes: ReadonlyMap<unknown, unknown>;
}

/** A selection by its offsets. */
interface SelectionSpec {
  readonly anchor: number;
  readonly head: number;
}

interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** Changed ranges in the text after the change, in order. */
function listChangedRanges(changes: ChangeDesc): OffsetRange[] {
  const ranges: OffsetRange[] = [];
  changes.iterChangedRanges((_fromA, _toA, from, to) => void ranges.push({ from, to }));
  return ranges;
}

/** True if a selection includes a part of a line in which the range is. */
function isOnLinesOf(range: OffsetRange, { from, to }: OffsetRange, doc: Text): boolean {
  return doc.lineAt(from).from <= range.to && doc.lineAt(to).to >= range.from;
}

function readSelections(value: unknown): StepSelections {
  return typeof value === 'object' && value !== null ? value : {};
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
