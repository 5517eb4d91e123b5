import {
  closeSearchPanel,
  findNext,
  findPrevious,
  gotoLine,
  openSearchPanel,
} from '@codemirror/search';
import { Prec, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
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

/** Where the cursor was when the search began. */
const searchedFrom = new WeakMap<EditorView, number>();

function beginSearch(view: EditorView): boolean {
  searchedFrom.set(view, view.state.selection.main.head);
  return openSearchPanel(view);
}

EmacsHandler.bindKey('C-s|C-r', beginSearch);

/** The cursor stays behind the match. */
function endSearch(view: EditorView): boolean {
  if (!view.root.activeElement?.matches('.cm-search [name=search]')) return false;
  // One that is selected by C-s stays.
  if (view.state.selection.main.empty) findNext(view);
  return leaveSearch(view, view.state.selection.main.to);
}

function giveUpSearch(view: EditorView): boolean {
  const { main } = view.state.selection;
  return leaveSearch(view, Math.min(searchedFrom.get(view) ?? main.head, view.state.doc.length));
}

function leaveSearch(view: EditorView, cursor: number): boolean {
  closeSearchPanel(view);
  view.dispatch({ selection: { anchor: cursor }, scrollIntoView: true });
  return true;
}

const searchKeys = keymap.of([
  { key: 'Enter', scope: 'search-panel', run: endSearch },
  { key: 'Ctrl-g', scope: 'search-panel', run: giveUpSearch },
  { key: 'Ctrl-s', scope: 'search-panel', run: findNext },
  { key: 'Ctrl-r', scope: 'search-panel', run: findPrevious },
]);

/** Ahead of all other keys. */
export const emacs: Extension = [Prec.highest([emacsKeys(), searchKeys]), blockCursor];
