/**
 * Letters are put in by the editor itself where the browser would keep the line of each for an undo of
 * its own: Chromium holds a thousand such steps, tens of megabytes after some minutes of typing, and
 * nothing here ever uses them. The first one is left to it, so that its menu goes on offering undo.
 */
import { EditorView } from '@codemirror/view';

/** Those whose first letter the browser has put in. */
const begun = new WeakSet<EditorView>();

export const ownInput = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (!isChromium || !isLetter(event, view)) return false;
    if (!begun.has(view)) {
      begun.add(view);
      return false;
    }
    putIn(event.data ?? '', view);
    return true;
  },
});

/** On Android the editor has another way in already, and elsewhere nothing of the kind was seen. */
const isChromium =
  typeof navigator !== 'undefined' &&
  /Chrome\//.test(navigator.userAgent) &&
  !/\bAndroid\b/.test(navigator.userAgent);

/** Text in the place of what is selected; what an input method composes is not, before it is done. */
function isLetter(event: InputEvent, view: EditorView): boolean {
  // Chromium names no ranges for letters that are typed.
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

/** As the editor does with what the browser has put in. */
function putIn(text: string, view: EditorView): void {
  const { from, to } = view.state.selection.main;
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
}
