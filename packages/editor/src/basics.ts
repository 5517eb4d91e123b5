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
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldService,
  indentOnInput,
  syntaxTree,
} from '@codemirror/language';
import { EditorState, Prec, type Extension } from '@codemirror/state';
import {
  crosshairCursor,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { bracketClosing } from './bracket-closing.ts';
import { drawnSelection } from './drawn-selection.ts';
import { closeTypedCompletion } from './text-completion.ts';
import { textDirection } from './text-direction.ts';
import { theme } from './theme.ts';
import { linkedTags } from './linked-tags.ts';
import { typeOver } from './type-over.ts';
import { filePath } from './language-facets.ts';

/** Keybindings inside the completion list; the one that opens it is an editor command. */
const completionListKeymap = [
  { key: 'Enter', run: closeTypedCompletion },
  ...completionKeymap.filter(({ run }) => run !== startCompletion),
];

/**
 * Labels of the search panel. They are part of the early editor too, since changing phrases would
 * redraw the panel and reset the keymap's mode.
 */
export const searchPhrases = EditorState.phrases.of({
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

/** Folds multi-line HTML and block comments after their first line, in every language. */
export const foldComments: Extension = foldService.of((state, lineStart, lineEnd) => {
  const start = lineStart + state.sliceDoc(lineStart, lineEnd).search(/\S|$/);
  const node = syntaxTree(state).resolveInner(start, 1);
  const isLong = /Comment/.test(node.name) && node.from === start && node.to > lineEnd;
  if (!isLong) return null;
  const end = /(?:-->|\*\/)?$/.exec(state.sliceDoc(Math.max(lineEnd, node.to - 3), node.to));
  return { from: lineEnd, to: node.to - (end?.[0].length ?? 0) };
});

/**
 * Characters that are invisible or reorder the text around them ("Trojan Source"), beyond those
 * that CodeMirror marks by default: bidirectional embeddings and isolates, word joiners, blank
 * letters and tag characters. Zero-width (non-)joiners are left alone: Persian, Indic scripts and
 * emoji need them.
 */
const invisible =
  /[\u115f\u1160\u180e\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\uffa0\u{e0001}\u{e0020}-\u{e007f}]/gu;

/**
 * Shows each invisible character as a labeled marker. The marker is not text, so it does not change
 * the reading order of its line.
 */
export const invisibleCharacters: Extension = highlightSpecialChars({
  addSpecialChars: invisible,
  render: (code, description, glyph) => {
    const marker = document.createElement('span');
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    marker.className = 'cm-specialChar';
    marker.textContent = code < 0x20 ? glyph : name;
    marker.title = `${description} ${name}`;
    marker.setAttribute('role', 'img');
    marker.setAttribute('aria-label', `${description} ${name}`);
    return marker;
  },
});

/** Extensions present from the early editor on, for every language. */
export const basicExtensions: Extension = [
  lineNumbers(),
  foldGutter({ markerDOM: createFoldMarker }),
  codeFolding(),
  foldComments,
  invisibleCharacters,
  highlightActiveLine(),
  highlightActiveLineGutter(),
  drawnSelection,
  dropCursor(),
  rectangularSelection(),
  crosshairCursor(),
  bracketMatching(),
  closeBrackets(),
  bracketClosing,
  typeOver,
  linkedTags,
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

/** Accessible name and text direction of a file's content. `name` is that of the file. */
export function createContentAttributes(path: string, name = path): Extension {
  const attributes = EditorView.contentAttributes.of({
    role: 'textbox',
    // CodeMirror's content is focusable without it, but accessibility checkers look for it on
    // scrollable regions.
    tabindex: '0',
    'aria-multiline': 'true',
    'aria-label': `Editor: ${name}`,
  });
  return [filePath.of(path), attributes, textDirection(path)];
}

function createFoldMarker(isOpen: boolean): HTMLElement {
  const marker = document.createElement('span');
  marker.className = isOpen ? 'cm-foldMarker' : 'cm-foldMarker cm-foldMarker-closed';
  marker.title = isOpen ? 'Fold' : 'Unfold';
  return marker;
}
