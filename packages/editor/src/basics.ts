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

/** Keybindings inside the completion list; the one that opens it is an editor command. */
const completionListKeymap = completionKeymap.filter(({ run }) => run !== startCompletion);

/**
 * Labels of the search panel. They are part of the early editor too, since changing phrases would
 * redraw the panel and reset the keymap's mode.
 */
const searchPhrases = EditorState.phrases.of({
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

/** Extensions present from the early editor on, for every language. */
export const basics: Extension = [
  lineNumbers(),
  foldGutter({ markerDOM: createFoldMarker }),
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
  // No icons: the bundled fonts lack their glyphs. 50 options are twice what most screens show;
  // each one adds to the frame that opens the list.
  autocompletion({ icons: false, defaultKeymap: false, maxRenderedOptions: 50 }),
  Prec.highest(keymap.of(completionListKeymap)),
  indentOnInput(),
  EditorState.allowMultipleSelections.of(true),
  searchPhrases,
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

/** Accessible name and text direction of a file's content. */
export function nameContent(path: string): Extension {
  const attributes = EditorView.contentAttributes.of({
    role: 'textbox',
    // CodeMirror's content is focusable without it, but accessibility checkers look for it on
    // scrollable regions.
    tabindex: '0',
    'aria-multiline': 'true',
    'aria-label': `Editor: ${path}`,
  });
  return [filePath.of(path), attributes, textDirection(path)];
}

function createFoldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = isOpen ? 'cm-foldMarker' : 'cm-foldMarker cm-foldMarker-closed';
  marker.title = isOpen ? 'Fold' : 'Unfold';
  return marker;
}
