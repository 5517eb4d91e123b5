import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import {
  cursorSyntaxLeft,
  cursorSyntaxRight,
  selectSyntaxLeft,
  selectSyntaxRight,
  simplifySelection,
  standardKeymap,
} from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, indentOnInput } from '@codemirror/language';
import { lintGutter, nextDiagnostic } from '@codemirror/lint';
import { closeSearchPanel, highlightSelectionMatches, search } from '@codemirror/search';
import { EditorState, Prec, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { closing } from './closing.ts';
import { drawnSelection } from './drawn-selection.ts';
import { foldComments } from './fold-comments.ts';
import { matchCount } from './match-count.ts';
import { replacePreview } from './replace-preview.ts';
import { spoken } from './spoken.ts';
import { grownFrom } from './commands/selections.ts';
import { theme } from './theme.ts';
import { unseenCharacters } from './unseen-characters.ts';

/** The keys of the list itself; what opens it is a command. */
const listKeys = completionKeymap.filter(({ run }) => run !== startCompletion);

/** What the search panel's controls say, in place of the library's words. */
const searchWords = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole word',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
  go: 'Go',
});

/** All that every file has, whatever its language. */
export const setup: Extension = [
  // In front of the numbers, so that these and the fold marks stand close together.
  lintGutter(),
  lineNumbers(),
  foldGutter({ markerDOM: foldMarker }),
  codeFolding(),
  foldComments,
  unseenCharacters,
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  drawnSelection,
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  closeBrackets(),
  closing,
  // The fonts at hand have no glyphs for its icons, and the words say enough.
  // Twice what most screens show: each costs a part of the letter's frame that opens the list.
  autocompletion({ icons: false, defaultKeymap: false, maxRenderedOptions: 50 }),
  Prec.highest(keymap.of(listKeys)),
  indentOnInput(),
  EditorState.allowMultipleSelections.of(true),
  search({ top: true }),
  searchWords,
  matchCount,
  replacePreview,
  spoken,
  theme,
  grownFrom,
  keymap.of([
    ...closeBracketsKeymap,
    { key: 'Escape', run: closeSearchPanel, scope: 'editor search-panel' },
    { key: 'Escape', run: simplifySelection },
    { key: 'F8', run: nextDiagnostic },
    {
      key: 'Alt-ArrowLeft',
      mac: 'Ctrl-ArrowLeft',
      run: cursorSyntaxLeft,
      shift: selectSyntaxLeft,
    },
    {
      key: 'Alt-ArrowRight',
      mac: 'Ctrl-ArrowRight',
      run: cursorSyntaxRight,
      shift: selectSyntaxRight,
    },
    ...standardKeymap,
  ]),
];

function foldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = isOpen ? 'cm-foldMarker' : 'cm-foldMarker cm-foldMarker-closed';
  marker.title = isOpen ? 'Fold' : 'Unfold';
  return marker;
}
