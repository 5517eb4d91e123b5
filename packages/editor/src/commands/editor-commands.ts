import { startCompletion } from '@codemirror/autocomplete';
import {
  addCursorAbove,
  addCursorBelow,
  copyLineDown,
  copyLineUp,
  cursorCharLeft,
  cursorCharRight,
  cursorLineDown,
  cursorLineUp,
  cursorMatchingBracket,
  deleteLine,
  deleteTrailingWhitespace,
  indentLess,
  indentMore,
  indentSelection,
  moveLineDown,
  moveLineUp,
  selectLine,
  selectMatchingBracket,
  toggleBlockComment,
  toggleComment,
  transposeChars,
} from '@codemirror/commands';
import { foldAll, unfoldAll, unfoldCode } from '@codemirror/language';
import {
  findNext,
  findPrevious,
  gotoLine,
  openSearchPanel,
  selectNextOccurrence,
} from '@codemirror/search';
import type { EditorView } from '@codemirror/view';
import { foldAtCursor } from '../folded-lines.ts';
import { announceCursorPosition } from '../screen-reader-announcer.ts';
import { toggleTabMode } from '../tab-key.ts';
import { createFileActionCommand, createServiceCommand, type EditorCommand } from './command.ts';
import {
  insertLineAbove,
  insertLineBelow,
  joinLines,
  sortAscending,
  sortDescending,
  changeToLowerCase,
  changeToTitleCase,
  changeToUpperCase,
} from './line-edits.ts';
import {
  selectAllOccurrences,
  addCursorsToLineEnds,
  expandSelection,
  shrinkSelection,
} from './selections.ts';

const editorAndSearchPanel = 'editor search-panel';

/**
 * All commands of the editor, with VS Code's keys where a page can have them: no key that the
 * browser reserves, no Ctrl+Alt with a letter, and none that a workspace command has. Keys that
 * move or delete by a step are the platform's and are not bound here.
 */
export const editorCommands: readonly EditorCommand[] = [
  { id: 'undo', name: 'Undo', keys: ['Mod-z'], run: createFileActionCommand('undo') },
  {
    id: 'redo',
    name: 'Redo',
    keys: ['Mod-y', 'Mod-Shift-z'],
    run: createFileActionCommand('redo'),
  },
  {
    id: 'format',
    name: 'Format',
    keys: ['Shift-Alt-f'],
    mac: ['Ctrl-Shift-i'],
    run: createFileActionCommand('format'),
  },

  { id: 'moveLineUp', name: 'Move line up', keys: ['Alt-ArrowUp'], run: moveLineUp },
  { id: 'moveLineDown', name: 'Move line down', keys: ['Alt-ArrowDown'], run: moveLineDown },
  { id: 'copyLineUp', name: 'Copy line up', keys: ['Shift-Alt-ArrowUp'], run: copyLineUp },
  { id: 'copyLineDown', name: 'Copy line down', keys: ['Shift-Alt-ArrowDown'], run: copyLineDown },
  { id: 'deleteLine', name: 'Delete line', keys: ['Mod-Shift-k'], run: deleteLine },
  { id: 'insertLineBelow', name: 'Insert line below', keys: [], run: insertLineBelow },
  { id: 'insertLineAbove', name: 'Insert line above', keys: [], run: insertLineAbove },
  { id: 'joinLines', name: 'Join lines', keys: [], mac: ['Ctrl-j'], run: joinLines },
  { id: 'sortAscending', name: 'Sort lines, ascending', keys: [], run: sortAscending },
  { id: 'sortDescending', name: 'Sort lines, descending', keys: [], run: sortDescending },
  { id: 'trimTrailing', name: 'Trim trailing whitespace', keys: [], run: deleteTrailingWhitespace },
  { id: 'transpose', name: 'Transpose characters', keys: [], mac: ['Ctrl-t'], run: transposeChars },
  { id: 'upperCase', name: 'Transform to uppercase', keys: [], run: changeToUpperCase },
  { id: 'lowerCase', name: 'Transform to lowercase', keys: [], run: changeToLowerCase },
  { id: 'titleCase', name: 'Transform to title case', keys: [], run: changeToTitleCase },

  { id: 'indentMore', name: 'Indent line', keys: ['Mod-]'], run: indentMore },
  { id: 'indentLess', name: 'Outdent line', keys: ['Mod-['], run: indentLess },
  { id: 'reindent', name: 'Reindent lines', keys: [], run: indentSelection },
  { id: 'comment', name: 'Toggle line comment', keys: ['Mod-/'], run: toggleComment },
  {
    id: 'blockComment',
    name: 'Toggle block comment',
    keys: ['Shift-Alt-a'],
    mac: ['Ctrl-Shift-a'],
    run: toggleBlockComment,
  },

  { id: 'selectLine', name: 'Select line', keys: ['Alt-l'], mac: ['Ctrl-l'], run: selectLine },
  {
    id: 'expandSelection',
    name: 'Expand selection',
    keys: ['Shift-Alt-ArrowRight'],
    mac: ['Ctrl-Shift-Cmd-ArrowRight'],
    run: expandSelection,
  },
  {
    id: 'shrinkSelection',
    name: 'Shrink selection',
    keys: ['Shift-Alt-ArrowLeft'],
    mac: ['Ctrl-Shift-Cmd-ArrowLeft'],
    run: shrinkSelection,
  },
  { id: 'cursorAbove', name: 'Add cursor above', keys: ['Mod-Alt-ArrowUp'], run: addCursorAbove },
  { id: 'cursorBelow', name: 'Add cursor below', keys: ['Mod-Alt-ArrowDown'], run: addCursorBelow },
  {
    id: 'cursorsAtLineEnds',
    name: 'Add cursors to line ends',
    keys: ['Shift-Alt-i'],
    mac: ['Ctrl-Shift-l'],
    run: addCursorsToLineEnds,
  },
  {
    id: 'nextOccurrence',
    name: 'Add next occurrence to selection',
    keys: ['Mod-d'],
    run: selectNextOccurrence,
  },
  {
    id: 'allOccurrences',
    name: 'Select all occurrences',
    keys: ['Mod-Shift-l', 'Mod-F2'],
    run: selectAllOccurrences,
  },
  {
    id: 'goToBracket',
    name: 'Go to matching bracket',
    keys: ['Mod-Shift-\\'],
    run: cursorMatchingBracket,
  },
  { id: 'selectToBracket', name: 'Select to bracket', keys: [], run: selectMatchingBracket },

  {
    id: 'find',
    name: 'Find in file',
    keys: ['Mod-f'],
    scope: editorAndSearchPanel,
    run: openSearchPanel,
  },
  {
    id: 'replace',
    name: 'Replace in file',
    keys: ['Mod-h'],
    mac: ['Cmd-Alt-f'],
    scope: editorAndSearchPanel,
    run: openReplace,
  },
  {
    id: 'findNext',
    name: 'Find next',
    keys: ['F3'],
    mac: ['F3', 'Cmd-g'],
    scope: editorAndSearchPanel,
    run: findNext,
  },
  {
    id: 'findPrevious',
    name: 'Find previous',
    keys: ['Shift-F3'],
    mac: ['Shift-F3', 'Shift-Cmd-g'],
    scope: editorAndSearchPanel,
    run: findPrevious,
  },
  { id: 'cursorLeft', name: 'Move cursor left', keys: [], run: cursorCharLeft },
  { id: 'cursorRight', name: 'Move cursor right', keys: [], run: cursorCharRight },
  { id: 'cursorUp', name: 'Move cursor up', keys: [], run: cursorLineUp },
  { id: 'cursorDown', name: 'Move cursor down', keys: [], run: cursorLineDown },
  { id: 'goToLine', name: 'Go to line', keys: ['Ctrl-g'], run: gotoLine },

  {
    id: 'fold',
    name: 'Fold',
    keys: ['Ctrl-Shift-['],
    mac: ['Cmd-Alt-['],
    run: foldAtCursor,
  },
  {
    id: 'unfold',
    name: 'Unfold',
    keys: ['Ctrl-Shift-]'],
    mac: ['Cmd-Alt-]'],
    run: unfoldCode,
  },
  { id: 'foldAll', name: 'Fold all', keys: [], run: foldAll },
  { id: 'unfoldAll', name: 'Unfold all', keys: [], run: unfoldAll },

  {
    id: 'complete',
    name: 'Show completions',
    keys: ['Ctrl-Space'],
    mac: ['Ctrl-Space', 'Cmd-i', 'Alt-Escape'],
    run: startCompletion,
  },
  { id: 'fix', name: 'Quick fix…', keys: ['Mod-.'], run: createServiceCommand('fix') },
  {
    id: 'definition',
    name: 'Go to definition',
    keys: ['F12'],
    run: createServiceCommand('definition'),
  },
  {
    id: 'references',
    name: 'Find all references',
    keys: ['Shift-F12'],
    run: createServiceCommand('references'),
  },
  { id: 'rename', name: 'Rename symbol', keys: ['F2'], run: createServiceCommand('rename') },
  {
    id: 'organiseImports',
    name: 'Organize imports',
    keys: ['Shift-Alt-o'],
    mac: ['Ctrl-Shift-o'],
    run: createServiceCommand('organiseImports'),
  },
  {
    id: 'signature',
    name: 'Show parameter hints',
    keys: ['Mod-Shift-Space'],
    run: createServiceCommand('signature'),
  },
  {
    id: 'description',
    name: 'Show hover',
    keys: ['Alt-F12'],
    run: createServiceCommand('description'),
  },
  { id: 'sayPlace', name: 'Announce cursor position', keys: [], run: announceCursorPosition },
  {
    id: 'tabMode',
    name: 'Toggle Tab key moves focus',
    keys: ['Ctrl-m'],
    mac: ['Ctrl-Shift-m'],
    run: toggleTabMode,
  },
];

function openReplace(view: EditorView): boolean {
  openSearchPanel(view);
  const field = (name: string) =>
    view.dom.querySelector<HTMLInputElement>(`.cm-search [name=${name}]`);
  // Focuses the search field first if it is empty.
  const first = field('search')?.value === '' ? field('search') : field('replace');
  first?.select();
  return true;
}
