import { EditorState, type Extension } from '@codemirror/state';
import { indentUnit } from '@codemirror/language';
import { EditorView, highlightTrailingWhitespace, highlightWhitespace } from '@codemirror/view';
import type { ChosenKeys } from './commands/bind.ts';

export const keymapNames = ['vscode', 'vim', 'emacs'] as const;
export type KeymapName = (typeof keymapNames)[number];

/** How somebody likes to edit. */
export interface EditorSettings {
  readonly keymap: KeymapName;
  readonly keys: ChosenKeys;
  /** Columns of a tab, and spaces of a step of indentation. */
  readonly tabSize: number;
  /** Long lines go on beneath. */
  readonly wraps: boolean;
  readonly showsGuides: boolean;
  readonly showsWhitespace: boolean;
  /** The lines that open what is on the screen stay on top. */
  readonly showsScopes: boolean;
}

export const initialSettings: EditorSettings = {
  keymap: 'vscode',
  keys: {},
  tabSize: 2,
  wraps: false,
  showsGuides: false,
  showsWhitespace: false,
  showsScopes: false,
};

/** What settings but the keys come to at once; what has to be loaded for them is `loadSettings`’. */
export function settingsAtHand(settings: EditorSettings): Extension {
  const { tabSize, wraps, showsWhitespace } = settings;
  return [
    indentUnit.of(' '.repeat(tabSize)),
    EditorState.tabSize.of(tabSize),
    wraps ? EditorView.lineWrapping : [],
    showsWhitespace ? [highlightWhitespace(), highlightTrailingWhitespace()] : [],
  ];
}

/** What settings want beyond, none of which a page loads that does not have them. */
export async function loadSettings(settings: EditorSettings): Promise<Extension> {
  const { keymap, showsGuides, showsScopes } = settings;
  return await Promise.all([
    keymap === 'vim' ? import('./keymaps/vim.ts').then(({ vim }) => vim) : [],
    keymap === 'emacs' ? import('./keymaps/emacs.ts').then(({ emacs }) => emacs) : [],
    showsGuides ? import('./guides.ts').then(({ guides }) => guides) : [],
    showsScopes ? import('./scope-lines.ts').then(({ scopeLines }) => scopeLines) : [],
  ]);
}
