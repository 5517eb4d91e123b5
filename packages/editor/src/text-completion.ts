import { closeCompletion, selectedCompletion, type Completion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';

/** A completion whose effect may be known before it is applied. */
export interface TextCompletion extends Completion {
  /**
   * The text that applying inserts before the cursor. Undefined if it also does something else,
   * such as adding an import.
   */
  readonly insertText?: string | undefined;
}

/** Closes the list if the selected completion is already typed. Lets Enter break the line. */
export function closeTypedCompletion(view: EditorView): false {
  const { state } = view;
  const completion: TextCompletion | null = selectedCompletion(state);
  if (!completion) return false;
  const { label, apply = label } = completion;
  const text = typeof apply === 'string' ? apply : completion.insertText;
  const isTyped = ({ head, empty }: { readonly head: number; readonly empty: boolean }) =>
    text !== undefined && empty && state.sliceDoc(Math.max(0, head - text.length), head) === text;
  if (state.selection.ranges.every(isTyped)) closeCompletion(view);
  return false;
}
