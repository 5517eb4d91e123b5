import { Facet } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

/**
 * What a keymap makes one step of undo of: edits for which it gives the same object. Where it gives
 * none, their kinds and the pauses between them tell. Asked with every update, once.
 */
export const undoStep = Facet.define<
  (view: EditorView) => object | undefined,
  ((view: EditorView) => object | undefined) | undefined
>({ combine: ([first]) => first });
