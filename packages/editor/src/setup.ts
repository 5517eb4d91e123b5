import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap } from '@codemirror/commands';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { matchCount } from './match-count.ts';
import { toggleTabMode } from './tab-key.ts';
import { theme } from './theme.ts';

/** Embeddings and isolates that reorder what is read, beyond those marked by default. */
const reordering = /[\u202a-\u202e\u2066-\u2069]/gu;

/** Keys that belong to the page: run, and the console. */
const pageKeys: ReadonlySet<string | undefined> = new Set(['Mod-Enter', 'Ctrl-`']);
/** Tab's own keys are bound in one place (see `toggleTabMode`). */
const tabKeys: ReadonlySet<string | undefined> = new Set(['Ctrl-m']);

const commands = defaultKeymap.filter(({ key }) => !pageKeys.has(key) && !tabKeys.has(key));

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
  highlightSpecialChars({ addSpecialChars: reordering }),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  drawSelection(),
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  closeBrackets(),
  // The fonts at hand have no glyphs for its icons, and the words say enough.
  autocompletion({ icons: false }),
  indentOnInput(),
  indentUnit.of('  '),
  EditorState.tabSize.of(2),
  EditorState.allowMultipleSelections.of(true),
  search({ top: true }),
  searchWords,
  matchCount,
  theme,
  keymap.of([
    { key: 'Ctrl-m', mac: 'Shift-Alt-m', run: toggleTabMode },
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...foldKeymap,
    ...lintKeymap,
    ...commands,
  ]),
];

function foldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = isOpen ? 'cm-foldMarker' : 'cm-foldMarker cm-foldMarker-closed';
  marker.title = isOpen ? 'Fold' : 'Unfold';
  return marker;
}
