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
import { EditorState, Prec, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { closing } from './closing.ts';
import { drawnSelection } from './drawn-selection.ts';
import { foldComments } from './fold-comments.ts';
import { textDirection } from './text-direction.ts';
import { theme } from './theme.ts';
import { typeOver } from './type-over.ts';
import { filePath } from './understood.ts';
import { unseenCharacters } from './unseen-characters.ts';

/** The keys of the list itself; what opens it is a command. */
const listKeys = completionKeymap.filter(({ run }) => run !== startCompletion);

/**
 * What the search panel's controls say, in place of the library's words. A view that gets other words
 * than it began with is drawn anew, and its keys forget their mode.
 */
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

/** What a text is shown and typed in with from the first moment on, whatever its language. */
export const basics: Extension = [
  lineNumbers(),
  foldGutter({ markerDOM: foldMarker }),
  codeFolding(),
  foldComments,
  unseenCharacters,
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawnSelection,
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  closeBrackets(),
  closing,
  typeOver,
  // The fonts at hand have no glyphs for its icons, and the words say enough.
  // Twice what most screens show: each costs a part of the letter's frame that opens the list.
  autocompletion({ icons: false, defaultKeymap: false, maxRenderedOptions: 50 }),
  Prec.highest(keymap.of(listKeys)),
  indentOnInput(),
  EditorState.allowMultipleSelections.of(true),
  searchWords,
  theme,
  keymap.of([
    ...closeBracketsKeymap,
    { key: 'Escape', run: simplifySelection },
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

/** What the text is called, and how its lines run. */
export function nameContent(path: string): Extension {
  const attributes = EditorView.contentAttributes.of({
    role: 'textbox',
    // It is reached without; what checks that a scrolled region can be reached looks for it.
    tabindex: '0',
    'aria-multiline': 'true',
    'aria-label': `Editor: ${path}`,
  });
  return [filePath.of(path), attributes, textDirection(path)];
}

function foldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = isOpen ? 'cm-foldMarker' : 'cm-foldMarker cm-foldMarker-closed';
  marker.title = isOpen ? 'Fold' : 'Unfold';
  return marker;
}
