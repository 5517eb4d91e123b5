/**
 * Inserts typed characters through CodeMirror instead of the browser. Chromium keeps a native undo
 * entry with the whole line for each character it inserts, up to a thousand of them: tens of
 * megabytes after some minutes of typing, and nothing here uses them.
 *
 * The browser inserts the first character after each focus, unless it replaces a selection, for two
 * reasons. Its context menu keeps offering Undo. And for 200 ms after a focus, CodeMirror assumes
 * that a cursor at the start of the text was put there by the browser, even if rendering moved it
 * there; native input ends that.
 */
import { EditorView } from '@codemirror/view';

/** Views in which the browser has inserted a character since they were focused. */
const withNativeInput = new WeakSet<EditorView>();

/** Handles `beforeinput` for typed characters in Chromium. */
export const chromiumInput = EditorView.domEventHandlers({
  focus(_event, view) {
    withNativeInput.delete(view);
  },
  beforeinput(event, view) {
    if (!isChromium || !isTypedText(event, view)) return false;
    if (!withNativeInput.has(view) && view.state.selection.main.empty) {
      withNativeInput.add(view);
      return false;
    }
    insertText(event.data ?? '', view);
    return true;
  },
});

/** Android has its own input path in CodeMirror, and other browsers did not show the problem. */
const isChromium =
  typeof navigator !== 'undefined' &&
  /Chrome\//.test(navigator.userAgent) &&
  !/\bAndroid\b/.test(navigator.userAgent);

/**
 * True for text that replaces the selection. Text being composed by an input method is excluded.
 */
function isTypedText(event: InputEvent, view: EditorView): boolean {
  // Chromium reports no target ranges for typed characters.
  const range = event.getTargetRanges()[0] ?? selectedRange();
  return (
    event.inputType === 'insertText' &&
    event.data !== null &&
    event.cancelable &&
    !event.isComposing &&
    !view.composing &&
    !view.state.readOnly &&
    range !== undefined &&
    view.posAtDOM(range.startContainer, range.startOffset) === view.state.selection.main.from &&
    view.posAtDOM(range.endContainer, range.endOffset) === view.state.selection.main.to
  );
}

function selectedRange(): Range | undefined {
  const selection = document.getSelection();
  return selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
}

/** Inserts text the way CodeMirror does after a native input event. */
function insertText(text: string, view: EditorView): void {
  const { from, to } = view.state.selection.main;
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
}
