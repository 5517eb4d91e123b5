import { ChangeSet } from '@codemirror/state';
import { findDifference } from '@vitrine/project';
import type { BegunEditor } from './begun-editor.ts';
import { FileEditor, type Editor, type EditorOptions } from './editor.ts';

/** Goes on with the shared text of the begun editor's file, into which goes what was typed. */
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

/** One change of what lies between what both begin and end with. */
function findChange(before: string, after: string): ChangeSet {
  const { start, end, newEnd } = findDifference(before, after);
  const change = { from: start, to: end, insert: after.slice(start, newEnd) };
  return ChangeSet.of(before === after ? [] : change, before.length, '\n');
}
