import { Facet } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/**
 * A keymap's undo grouping: updates for which it returns the same object are one undo step. Where
 * it returns undefined, steps are split by the kind of edit and by pauses. Called once per update.
 */
export const undoGroup = Facet.define<
  (view: EditorView) => object | undefined,
  ((view: EditorView) => object | undefined) | undefined
>({ combine: ([first]) => first });
