/**
 * Inserts text through CodeMirror instead of the browser, from `beforeinput` events.
 *
 * Typed characters, in Chromium, which keeps a native undo entry with the whole line for each
 * character it inserts, up to a thousand of them: tens of megabytes after some minutes of typing,
 * and nothing here uses them. The browser inserts the first character after each focus, unless it
 * replaces a selection, for two reasons. Its context menu keeps offering Undo. And for 200 ms after
 * a focus, CodeMirror assumes that a cursor at the start of the text was put there by the browser,
 * even if rendering moved it there; native input ends that.
 *
 * Long text and text with line breaks, in all browsers: what dictation, text expanders and the
 * clipboard of a phone's keyboard insert in one go. A browser would insert it line by line, in time
 * that grows with the square of its length.
 */
import { EditorView } from '@codemirror/view';
import { toPlainText } from '@vitrine/project/plain-text';

/** Views in which the browser has inserted a character since they were focused. */
const withNativeInput = new WeakSet<EditorView>();
/** Length of text without line breaks that is not typed, in UTF-16 units. */
const longTextLength = 200;

/** Handles `beforeinput` for typed characters, and for text inserted in one go. */
export const textInput = EditorView.domEventHandlers({
  focus(_event, view) {
    withNativeInput.delete(view);
  },
  beforeinput(event, view) {
    if (!event.cancelable || event.isComposing || view.composing) return false;
    const text = readInsertedText(event);
    const range = text === '' ? undefined : findReplacedRange(event, view);
    if (!range) return false;
    if (text.length >= longTextLength || /[\r\n]/.test(text)) {
      if (!view.state.readOnly) insertText(toPlainText(text), range, view, 'input.paste');
      return true;
    }
    if (!isChromium || view.state.readOnly || event.inputType !== 'insertText') return false;
    const { main } = view.state.selection;
    if (range.from !== main.from || range.to !== main.to) return false;
    if (!withNativeInput.has(view) && main.empty) {
      withNativeInput.add(view);
      return false;
    }
    insertText(text, range, view, 'input.type');
    return true;
  },
});

/** Android has its own input path in CodeMirror, and other browsers did not show the problem. */
const isChromium =
  typeof navigator !== 'undefined' &&
  /Chrome\//.test(navigator.userAgent) &&
  !/\bAndroid\b/.test(navigator.userAgent);

/** Text that the event inserts: typed, or in place of a word. A paste has an event of its own. */
function readInsertedText({ inputType, data, dataTransfer }: InputEvent): string {
  if (inputType !== 'insertText' && inputType !== 'insertReplacementText') return '';
  return data ?? dataTransfer?.getData('text/plain') ?? '';
}

interface TextRange {
  readonly from: number;
  readonly to: number;
}

function findReplacedRange(event: InputEvent, view: EditorView): TextRange | undefined {
  // Chromium reports no target ranges for typed characters.
  const range = event.getTargetRanges()[0] ?? selectedRange();
  if (!range || !view.contentDOM.contains(range.startContainer)) return undefined;
  return {
    from: view.posAtDOM(range.startContainer, range.startOffset),
    to: view.posAtDOM(range.endContainer, range.endOffset),
  };
}

function selectedRange(): Range | undefined {
  const selection = document.getSelection();
  return selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
}

/** Inserts text the way CodeMirror does after a native input event. */
function insertText(
  text: string,
  { from, to }: TextRange,
  view: EditorView,
  userEvent: 'input.type' | 'input.paste',
): void {
  const { main } = view.state.selection;
  const isSelected = from === main.from && to === main.to;
  const insert = () =>
    view.state.update(
      isSelected
        ? view.state.replaceSelection(text)
        : { changes: { from, to, insert: text }, selection: { anchor: from + text.length } },
      { userEvent, scrollIntoView: true },
    );
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
}
