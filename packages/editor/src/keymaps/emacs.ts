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
 * Emacs keybindings. Undo is that of the shared text, and `C-x C-s` saves. The package keeps its
 * commands globally, so they are registered once for all editors.
 */

const runFileAction = (action: keyof FileActions) => (view: EditorView) =>
  view.state.facet(fileActions)?.[action]() ?? false;

EmacsHandler.bindKey('C-/|C-x u|S-C--|C-z', runFileAction('undo'));
EmacsHandler.bindKey('S-C-/|S-C-x u|C--|S-C-z', runFileAction('redo'));
EmacsHandler.bindKey('C-x C-s', runFileAction('save'));
EmacsHandler.bindKey('M-g', gotoLine);
// There is no M-x command line: the key is left to the page.
EmacsHandler.bindKey('M-x', undefined);
// `M-y` would need the package's own undo.
EmacsHandler.bindKey('M-y', undefined);

/** Cursor position at the start of the search, to return to on `C-g`. */
const searchStarts = new WeakMap<EditorView, number>();

function startSearch(view: EditorView): boolean {
  searchStarts.set(view, view.state.selection.main.head);
  return openSearchPanel(view);
}

EmacsHandler.bindKey('C-s|C-r', startSearch);

/** Closes the search panel, with the cursor after the match. */
function acceptSearch(view: EditorView): boolean {
  if (!view.root.activeElement?.matches('.cm-search [name=search]')) return false;
  // Keeps a match that `C-s` has already selected.
  if (view.state.selection.main.empty) findNext(view);
  return closeSearch(view, view.state.selection.main.to);
}

function cancelSearch(view: EditorView): boolean {
  const { main } = view.state.selection;
  return closeSearch(view, Math.min(searchStarts.get(view) ?? main.head, view.state.doc.length));
}

function closeSearch(view: EditorView, cursor: number): boolean {
  closeSearchPanel(view);
  view.dispatch({ selection: { anchor: cursor }, scrollIntoView: true });
  return true;
}

const searchKeys = keymap.of([
  { key: 'Enter', scope: 'search-panel', run: acceptSearch },
  { key: 'Ctrl-g', scope: 'search-panel', run: cancelSearch },
  { key: 'Ctrl-s', scope: 'search-panel', run: findNext },
  { key: 'Ctrl-r', scope: 'search-panel', run: findPrevious },
]);

/** Precedes all other keybindings. */
export const emacs: Extension = [Prec.highest([emacsKeys(), searchKeys]), blockCursor];
