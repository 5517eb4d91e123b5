/**
 * Types over what the editor inserted by itself. Where it inserted `</b>` or `}`, typing the same
 * text by hand moves over it, also from an otherwise empty line before it:
 *
 *     <b>*|</b>, type "</b>"       → <b>*</b>|
 *     {⏎  a();⏎  |⏎}, type "}"     → {⏎  a();⏎}|
 *
 * Typing `</` completes the whole tag at once and puts the cursor after it. The rest of that tag,
 * typed by hand, is swallowed; a tag with another name that is typed to its end replaces it.
 * Nothing else is swallowed: the first character that differs inserts those before it.
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

/**
 * A closing bracket, quote or tag that the editor inserted. Dropped when no cursor is between its
 * opening and itself.
 */
interface Inserted {
  /** Offset where the content starts: after an opening tag, or at an opening bracket. */
  readonly open: number;
  readonly from: number;
  readonly to: number;
}

/** A tag completed after typing `</`, one per cursor, and what was typed since. */
interface Completed {
  readonly tags: readonly string[];
  /** The closing tag existed before `</` was typed, and is kept if another one is typed instead. */
  readonly isTypedOver: boolean;
  /** Text typed after `</`. The part that matches the tag is not inserted a second time. */
  readonly typed: string;
}

const closeTag = /^<\/[\w.:-]*>$/;
const insertedClosing = /^(?:\(\)|\[\]|\{\}|""|''|``|>?<\/[\w.:-]*>)$/;
const nonCode = /Comment|String|AttributeValue|RegExp/;
/** Far more than the nesting depth of hand-written files. */
const maxInserted = 50;

const insertedField = StateField.define<readonly Inserted[]>({
  create: () => [],
  update(inserted, transaction) {
    if (!transaction.docChanged && !transaction.selection) return inserted;
    const { changes, state } = transaction;
    const mapped = inserted.map(({ open, from, to }) => ({
      open: changes.mapPos(open, -1),
      from: changes.mapPos(from, 1),
      to: changes.mapPos(to, -1),
    }));
    return [...mapped, ...findInserted(transaction)]
      .filter(
        ({ open, from, to }) =>
          from < to && state.selection.ranges.some(({ head }) => head > open && head <= from),
      )
      .slice(-maxInserted);
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
    // For a bracket `open` is its offset; for a tag, the offset where the closing tag starts.
    found.push({ open: isTag ? contentAt - 1 : from, from: contentAt, to });
  });
  return found;
}

/** Finds `b>` that a language inserted after `</`, or as Svelte's does, `/b>` after `<`. */
function findCompleted(transaction: Transaction): Completed | undefined {
  const isSeparate = transaction.isUserEvent('input.complete');
  if (!isSeparate && !transaction.isUserEvent('input.type')) return undefined;
  const tags: string[] = [];
  const { newDoc, newSelection } = transaction;
  transaction.changes.iterChanges((_fromA, _toA, from, to, text) => {
    if (!isSeparate && text.sliceString(0, 1) !== '/') return;
    const start = Math.max(0, from - (isSeparate ? 2 : 1));
    const tag = to - from < 200 ? newDoc.sliceString(start, to) : '';
    if (closeTag.test(tag) && newSelection.ranges[tags.length]?.head === to) tags.push(tag);
  });
  return tags.length > 0 && tags.length === newSelection.ranges.length
    ? { tags, isTypedOver: false, typed: '' }
    : undefined;
}

const overtypeInput = EditorView.inputHandler.of((view, from, to, text) => {
  const { state } = view;
  const { main } = state.selection;
  if (view.composing || state.readOnly || from !== main.from || to !== main.to) return false;
  if (text.length !== 1 || state.selection.ranges.some(({ empty }) => !empty)) return false;
  const transaction =
    typeAfterCompleted(state, text) ??
    (text === '/'
      ? typeOverTags(state)
      : /[)\]}"'`]/.test(text)
        ? typeOverCharacter(state, text)
        : null);
  if (!transaction) return false;
  view.dispatch(transaction);
  return true;
});

/** The innermost inserted text after a cursor, if only whitespace is between. */
function findInsertedAt(state: EditorState, { head }: SelectionRange): Inserted | undefined {
  const around = state.field(insertedField).filter(({ open, from }) => open < head && head <= from);
  const innermost = around.toSorted((one, other) => other.open - one.open)[0];
  if (!innermost || innermost.from - head > 1_000) return undefined;
  return /^\s*$/.test(state.sliceDoc(head, innermost.from)) ? innermost : undefined;
}

function typeOverCharacter(state: EditorState, character: string): Transaction | null {
  let isMatch = true;
  const change = state.changeByRange((range) => {
    const found = findInsertedAt(state, range);
    isMatch &&=
      found !== undefined &&
      state.sliceDoc(found.from, found.to) === character &&
      (/["'`]/.test(character)
        ? found.from === range.head
        : !nonCode.test(syntaxTree(state).resolveInner(range.head, -1).name) &&
          matchBrackets(state, found.to, -1)?.end?.from === found.open);
    return found ? moveOver(state, range.head, found) : { range };
  });
  return isMatch ? state.update(change, { userEvent: 'input.type', scrollIntoView: true }) : null;
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
 * Retypes the closing text, replacing itself, the whitespace before it, and the cursor's line if it
 * is blank. This is a change rather than a cursor move, so that undo reverts it together with the
 * typing around it.
 */
function moveOver(state: EditorState, at: number, { from, to }: Inserted, end = at) {
  const line = state.doc.lineAt(at);
  const closingLine = state.doc.lineAt(from);
  const isBlank = line.number < closingLine.number && /^\s*$/.test(state.sliceDoc(line.from, at));
  const removesLine = isBlank && end <= closingLine.from;
  const start = removesLine ? line.from : at;
  const insert = state.sliceDoc(removesLine ? closingLine.from : from, to);
  return {
    changes: { from: start, to, insert },
    range: EditorSelection.cursor(start + insert.length),
  };
}

/** True if an element that starts after `from` is still open at `at`. */
function hasOpenElement(state: EditorState, from: number, at: number): boolean {
  let node = syntaxTree(state).resolveInner(at, -1);
  for (; node.parent && node.from > from; node = node.parent)
    if (node.name.endsWith('Element') && node.to > at) return true;
  return false;
}

function typeAfterCompleted(state: EditorState, text: string): Transaction | null {
  const completed = state.field(completedField);
  if (!completed) return null;
  const { tags, isTypedOver } = completed;
  const typed = completed.typed + text;
  const isPrefix = (count: number) => tags.every((tag) => tag.startsWith(typed.slice(0, count), 2));
  if (isPrefix(typed.length)) {
    const isWhole = tags.every((tag) => tag.length === typed.length + 2);
    return state.update({
      effects: setCompleted.of(isWhole ? undefined : { ...completed, typed }),
    });
  }
  const isInserted = completed.typed !== '' && !isPrefix(completed.typed.length);
  const isOtherTag = /^[\w.:-]+>$/.test(typed);
  const ranges = state.selection.ranges.map(({ head }) => head);
  const change = state.changeByRange(({ head }) => {
    const tag = tags[ranges.indexOf(head)] ?? '';
    const tagEnd = isInserted ? head - completed.typed.length : head;
    const start = isOtherTag ? tagEnd - tag.length : tagEnd;
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

/** The overtype extension. Takes precedence over other input handlers. */
export const typeOver: Extension = [insertedField, completedField, Prec.highest(overtypeInput)];
