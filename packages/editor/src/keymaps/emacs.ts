import { gotoLine } from '@codemirror/search';
import { Prec, type Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { EmacsHandler, emacs as emacsKeys } from '@replit/codemirror-emacs';
import { fileActions, type FileActions } from '../commands/command.ts';
import { blockCursor } from './block-cursor.ts';

/*
 * The keys of Emacs. Its undo is that of the shared text, and `C-x C-s` saves. They are set for all
 * editors at once, since that is how the library keeps its commands.
 */

const ask = (action: keyof FileActions) => (view: EditorView) =>
  view.state.facet(fileActions)?.[action]() ?? false;

EmacsHandler.bindKey('C-/|C-x u|S-C--|C-z', ask('undo'));
EmacsHandler.bindKey('S-C-/|S-C-x u|C--|S-C-z', ask('redo'));
EmacsHandler.bindKey('C-x C-s', ask('save'));
EmacsHandler.bindKey('M-g', gotoLine);
// It has no line for commands: the key is left to the page.
EmacsHandler.bindKey('M-x', undefined);
// Going round what was killed would need an undo of the library’s own.
EmacsHandler.bindKey('M-y', undefined);

/** Ahead of all other keys. */
export const emacs: Extension = [Prec.highest(emacsKeys()), blockCursor];
