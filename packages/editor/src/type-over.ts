/**
 * Typing over what the editor closed by itself. Where it inserted `</b>` or `}`, somebody who types that
 * by hand moves over it, also from a line of its own in front of it:
 *
 *     <b>*|</b>, type "</b>"       → <b>*</b>|
 *     {⏎  a();⏎  |⏎}, type "}"     → {⏎  a();⏎}|
 *
 * `</` completes the tag at once and puts the cursor behind it. The rest of the tag, typed by hand, is
 * already there; a tag of another name that is typed to its end takes its place. Nothing else is held
 * back: the first character that differs brings in those before it.
 */
import { matchBrackets, syntaxTree } from '@codemirror/language';
import {
  EditorSelection,
  Prec,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type SelectionRange,
  type Transaction,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** A closing bracket, quote or tag that the editor inserted. It is forgotten once no cursor is before it and behind its opening. */
interface Inserted {
  /** Offset where the content begins: behind an opening tag, or of an opening bracket. */
  readonly open: number;
  readonly from: number;
  readonly to: number;
}

/** A tag completed by `</`, one for each cursor, and what was typed since. */
interface Completed {
  readonly tags: readonly string[];
  /** The tag was there before `</`, and stays when another is typed. */
  readonly isTypedOver: boolean;
  /** Typed behind `</`. What the tag begins with is not in the document a second time. */
  readonly typed: string;
}

const closeTag = /^<\/[\w.:-]*>$/;
const insertedClosing = /^(?:\(\)|\[\]|\{\}|""|''|``|>?<\/[\w.:-]*>)$/;
const noCode = /Comment|String|AttributeValue|RegExp/;
/** Far more than are nested in files that people write. */
const mostInserted = 50;

const insertedField = StateField.define<readonly Inserted[]>({
  create: () => [],
  update(inserted, transaction) {
    if (!transaction.docChanged && !transaction.selection) return inserted;
    const { changes, state } = transaction;
    const kept = inserted.map(({ open, from, to }) => ({
      open: changes.mapPos(open, -1),
      from: changes.mapPos(from, 1),
      to: changes.mapPos(to, -1),
    }));
    return [...kept, ...findInserted(transaction)]
      .filter(
        ({ open, from, to }) =>
          from < to && state.selection.ranges.some(({ head }) => head > open && head <= from),
      )
      .slice(-mostInserted);
  },
});

const setCompleted = StateEffect.define<Completed | undefined>();

const completedField = StateField.define<Completed | undefined>({
  create: () => undefined,
  update(completed, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCompleted)) return effect.value;
    if (!transaction.docChanged && !transaction.selection) return completed;
    return findCompleted(transaction);
  },
});

function findInserted(transaction: Transaction): readonly Inserted[] {
  if (!transaction.isUserEvent('input.type') && !transaction.isUserEvent('input.complete'))
    return [];
  const found: Inserted[] = [];
  transaction.changes.iterChanges((_fromA, _toA, from, to, text) => {
    const inserted = text.lines === 1 && text.length < 200 ? text.sliceString(0) : '';
    if (!insertedClosing.test(inserted)) return;
    const isTag = inserted.includes('<');
    const contentAt = isTag ? from + inserted.indexOf('<') : from + 1;
    // The content of a bracket begins behind it, that of a tag where the closing one stands.
    found.push({ open: isTag ? contentAt - 1 : from, from: contentAt, to });
  });
  return found;
}

/** `b>` that a language inserted behind `</`. */
function findCompleted(transaction: Transaction): Completed | undefined {
  if (!transaction.isUserEvent('input.complete')) return undefined;
  const tags: string[] = [];
  const { newDoc, newSelection } = transaction;
  transaction.changes.iterChanges((_fromA, _toA, from, to) => {
    const tag = to - from < 200 ? newDoc.sliceString(Math.max(0, from - 2), to) : '';
    if (closeTag.test(tag) && newSelection.ranges[tags.length]?.head === to) tags.push(tag);
  });
  return tags.length > 0 && tags.length === newSelection.ranges.length
    ? { tags, isTypedOver: false, typed: '' }
    : undefined;
}

const input = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  const { main } = state.selection;
  if (view.composing || state.readOnly || from !== main.from || to !== main.to) return false;
  if (text.length !== 1 || state.selection.ranges.some(({ empty }) => !empty)) return false;
  const transaction =
    typeBehindCompleted(state, text) ??
    (text === '/'
      ? typeOverTags(state)
      : /[)\]}"'`]/.test(text)
        ? typeOverSigns(state, text)
        : null);
  if (!transaction) return false;
  view.dispatch(transaction);
  return true;
});

/** The innermost of what was inserted around a cursor, where nothing but space is in between. */
function findInsertedAt(state: EditorState, { head }: SelectionRange): Inserted | undefined {
  const around = state.field(insertedField).filter(({ open, from }) => open < head && head <= from);
  const innermost = around.toSorted((one, other) => other.open - one.open)[0];
  if (!innermost || innermost.from - head > 1_000) return undefined;
  return /^\s*$/.test(state.sliceDoc(head, innermost.from)) ? innermost : undefined;
}

function typeOverSigns(state: EditorState, sign: string): Transaction | null {
  let isMeant = true;
  const change = state.changeByRange((range) => {
    const found = findInsertedAt(state, range);
    isMeant &&=
      found !== undefined &&
      state.sliceDoc(found.from, found.to) === sign &&
      (/["'`]/.test(sign)
        ? found.from === range.head
        : !noCode.test(syntaxTree(state).resolveInner(range.head, -1).name) &&
          matchBrackets(state, found.to, -1)?.end?.from === found.open);
    return found ? moveOver(state, range.head, found) : { range };
  });
  return isMeant ? state.update(change, { userEvent: 'input.type', scrollIntoView: true }) : null;
}

function typeOverTags(state: EditorState): Transaction | null {
  const tags: string[] = [];
  const change = state.changeByRange((range) => {
    const at = range.head - 1;
    const found = findInsertedAt(state, range);
    const tag = found ? state.sliceDoc(found.from, found.to) : '';
    if (!found || state.sliceDoc(at, range.head) !== '<' || !closeTag.test(tag)) return { range };
    if (hasOpenElement(state, found.open, at)) return { range };
    tags.push(tag);
    return moveOver(state, at, found, range.head);
  });
  if (tags.length < state.selection.ranges.length) return null;
  const effects = setCompleted.of({ tags, isTypedOver: true, typed: '' });
  return state.update(change, { effects, userEvent: 'input.type', scrollIntoView: true });
}

/**
 * Types the closing text once more in place of itself, of what is between, and of a line that is blank
 * but for the cursor. A change, not a move of the cursor: undo takes it as one step with what is typed
 * around it.
 */
function moveOver(state: EditorState, at: number, { from, to }: Inserted, end = at) {
  const line = state.doc.lineAt(at);
  const closingLine = state.doc.lineAt(from);
  const isBlank = line.number < closingLine.number && /^\s*$/.test(state.sliceDoc(line.from, at));
  const isLineGone = isBlank && end <= closingLine.from;
  const start = isLineGone ? line.from : at;
  const insert = state.sliceDoc(isLineGone ? closingLine.from : from, to);
  return {
    changes: { from: start, to, insert },
    range: EditorSelection.cursor(start + insert.length),
  };
}

/** An element that began behind an offset is still open at another. */
function hasOpenElement(state: EditorState, from: number, at: number): boolean {
  let node = syntaxTree(state).resolveInner(at, -1);
  for (; node.parent && node.from > from; node = node.parent)
    if (node.name.endsWith('Element') && node.to > at) return true;
  return false;
}

function typeBehindCompleted(state: EditorState, text: string): Transaction | null {
  const completed = state.field(completedField);
  if (!completed) return null;
  const { tags, isTypedOver } = completed;
  const typed = completed.typed + text;
  const isThere = (count: number) => tags.every((tag) => tag.startsWith(typed.slice(0, count), 2));
  if (isThere(typed.length)) {
    const isWhole = tags.every((tag) => tag.length === typed.length + 2);
    return state.update({
      effects: setCompleted.of(isWhole ? undefined : { ...completed, typed }),
    });
  }
  const isInDocument = completed.typed !== '' && !isThere(completed.typed.length);
  const isOtherTag = /^[\w.:-]+>$/.test(typed);
  const ranges = state.selection.ranges.map(({ head }) => head);
  const change = state.changeByRange(({ head }) => {
    const tag = tags[ranges.indexOf(head)] ?? '';
    const behind = isInDocument ? head - completed.typed.length : head;
    const start = isOtherTag ? behind - tag.length : behind;
    const insert = isOtherTag ? `</${typed}` : typed;
    return {
      changes: { from: start, to: head, insert: isOtherTag && isTypedOver ? insert + tag : insert },
      range: EditorSelection.cursor(start + insert.length),
    };
  });
  const isName = /^[\w.:-]+$/.test(typed);
  return state.update(change, {
    effects: setCompleted.of(isName ? { ...completed, typed } : undefined),
    userEvent: 'input.type',
    scrollIntoView: true,
  });
}

export const typeOver: Extension = [insertedField, completedField, Prec.highest(input)];
