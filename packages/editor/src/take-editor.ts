import { ChangeSet } from '@codemirror/state';
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
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const insert = after.slice(from, after.length - end);
  const change = { from, to: before.length - end, insert };
  return ChangeSet.of(before === after ? [] : change, before.length, '\n');
}
