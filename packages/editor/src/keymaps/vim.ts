import { Prec, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { CodeMirror, getCM, Vim, vim as vimKeys } from '@replit/codemirror-vim';
import { fileActions, type FileActions } from '../commands/command.ts';
import { undoStep } from '../undo-step.ts';
import { blockCursor } from './block-cursor.ts';

/*
 * Vim’s keys. Its undo is that of the shared text, and `:w` saves; both are set for all editors at
 * once, since that is how the library keeps its commands.
 */

const ask = (action: keyof FileActions) => (editor: { cm6: EditorView }) =>
  void editor.cm6.state.facet(fileActions)?.[action]();

Object.assign(CodeMirror.commands, { undo: ask('undo'), redo: ask('redo'), save: ask('save') });
Vim.defineEx('write', 'w', ask('save'));

/** By view, the step of its latest update. */
const latest = new WeakMap<EditorView, { step: object | undefined; isInsert: boolean }>();

/** A command is one step, and whatever is inserted until Escape goes with the one that began it. */
function findStep(view: EditorView): object | undefined {
  const cm = getCM(view);
  const isInsert = cm?.state.vim?.insertMode === true;
  const before = latest.get(view);
  const command: object | undefined = cm?.curOp?.isVimOp ? cm.curOp : undefined;
  const step =
    isInsert && before?.isInsert ? before.step : (command ?? (isInsert ? {} : undefined));
  latest.set(view, { step, isInsert });
  return step;
}

/** Ahead of all other keys, with its line for commands and modes beneath the text. */
export const vim: Extension = [
  Prec.highest(vimKeys({ status: true })),
  blockCursor,
  undoStep.of(findStep),
];
