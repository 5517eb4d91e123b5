/**
 * An editor that stands, and can be typed into, before the text that all replicas share is there.
 */
import { ChangeSet } from '@codemirror/state';
import * as Y from 'yjs';
import { FileEditor, type Editor, type EditorOptions } from './editor.ts';
import { initialSettings, type EditorSettings } from './settings.ts';

export interface BeginOptions extends Pick<EditorOptions, 'parent' | 'nonce'> {
  readonly path: string;
  /** As the page has it. */
  readonly text: string;
  readonly settings: EditorSettings;
}

export interface BegunEditor extends Pick<BeginOptions, 'path' | 'settings'> {
  /** Something was typed that is nowhere else. */
  readonly isTyped: boolean;
  /** Goes on with the shared text of its file, into which goes what was typed. */
  take(options: EditorOptions): Editor;
  close(): void;
}

/** Begins an editor on a text of its own. */
export function beginEditor({ path, text, settings, ...place }: BeginOptions): BegunEditor {
  const own = new Y.Doc().getText();
  own.insert(0, text);
  const editor = new FileEditor({ ...place, path, text: own, undo: new Y.UndoManager(own) });
  if (JSON.stringify(settings) !== JSON.stringify(initialSettings)) editor.setSettings(settings);
  return {
    path,
    settings,
    get isTyped() {
      return own.toString() !== text;
    },
    take(options) {
      const typed = findChange(text, own.toString());
      editor.join(options, typed, findChange(text, options.text.toString()));
      return editor;
    },
    close: () => editor.close(),
  };
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
