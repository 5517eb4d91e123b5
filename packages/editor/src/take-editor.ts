import { ChangeSet } from '@codemirror/state';
import { findDifference } from '@vitrine/project';
import type { BegunEditor } from './begun-editor.ts';
import { FileEditor, type Editor, type EditorOptions } from './editor.ts';

/**
 * Turns an early editor into a full one, bound to the shared text of its file. Edits made so far
 * are merged into that text.
 */
export function takeEditor(begun: BegunEditor, options: EditorOptions): Editor {
  begun.leave();
  const { view, text, settings, loaded, refused } = begun;
  const editor = new FileEditor(options, {
    view,
    settings,
    loaded,
    typed: findChange(text, view.state.doc.toString()),
    brought: findChange(text, options.text.toString()),
  });
  if (refused) options.onRefuse?.(refused);
  return editor;
}

/** The change between two texts, as one replacement between their common prefix and suffix. */
function findChange(before: string, after: string): ChangeSet {
  const { start, end, newEnd } = findDifference(before, after);
  const change = { from: start, to: end, insert: after.slice(start, newEnd) };
  return ChangeSet.of(before === after ? [] : change, before.length, '\n');
}
