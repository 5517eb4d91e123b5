import { Prec, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { CodeMirror, getCM, Vim, vim as vimKeys } from '@replit/codemirror-vim';
import { fileActions, type FileActions } from '../commands/command.ts';
import { undoGroup } from '../undo-group.ts';
import { blockCursor } from './block-cursor.ts';

/*
 * Vim keybindings. Undo is that of the shared text, and `:w` saves. The package keeps its commands
 * globally, so they are registered once for all editors.
 */

const runFileAction = (action: keyof FileActions) => (editor: { cm6: EditorView }) =>
  void editor.cm6.state.facet(fileActions)?.[action]();

Object.assign(CodeMirror.commands, {
  undo: runFileAction('undo'),
  redo: runFileAction('redo'),
  save: runFileAction('save'),
});
Vim.defineEx('write', 'w', runFileAction('save'));

/** Undo group of each view's latest update. */
const latestGroups = new WeakMap<EditorView, { group: object | undefined; isInsert: boolean }>();

/** Groups each command into one undo step, together with what is inserted until Escape. */
function findUndoGroup(view: EditorView): object | undefined {
  const cm = getCM(view);
  const isInsert = cm?.state.vim?.insertMode === true;
  const previous = latestGroups.get(view);
  const command: object | undefined = cm?.curOp?.isVimOp ? cm.curOp : undefined;
  const group =
    isInsert && previous?.isInsert ? previous.group : (command ?? (isInsert ? {} : undefined));
  latestGroups.set(view, { group, isInsert });
  return group;
}

/** Precedes all other keybindings. Includes the command line and mode display below the text. */
export const vim: Extension = [
  Prec.highest(vimKeys({ status: true })),
  blockCursor,
  undoGroup.of(findUndoGroup),
];
