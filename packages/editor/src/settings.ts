import { EditorState, type Extension } from '@codemirror/state';
import { indentUnit } from '@codemirror/language';
import { EditorView, highlightTrailingWhitespace, highlightWhitespace } from '@codemirror/view';
import type { CustomKeybindings } from './commands/keybindings.ts';

const keymapNames = ['vscode', 'vim', 'emacs'] as const;
type KeymapName = (typeof keymapNames)[number];

/** The user's editor settings. Field names are also the keys in stored preferences. */
export interface EditorSettings {
  readonly keymap: KeymapName;
  readonly keys: CustomKeybindings;
  /** Columns of a tab and spaces per indentation level. */
  readonly tabSize: number;
  /** Word wrap. */
  readonly wraps: boolean;
  /** Indent guides. */
  readonly showsGuides: boolean;
  readonly showsWhitespace: boolean;
  /** Sticky scroll: the enclosing blocks' opening lines stay on top. */
  readonly showsScopes: boolean;
}

/** Default settings. */
export const initialSettings: EditorSettings = {
  keymap: 'vscode',
  keys: {},
  tabSize: 2,
  wraps: false,
  showsGuides: false,
  showsWhitespace: false,
  showsScopes: false,
};

/** Extensions for the settings that need nothing loaded. Keybindings are `bindCommands`'. */
export function configureSettings(settings: EditorSettings): Extension {
  const { tabSize, wraps, showsWhitespace } = settings;
  return [
    indentUnit.of(' '.repeat(tabSize)),
    EditorState.tabSize.of(tabSize),
    wraps ? EditorView.lineWrapping : [],
    showsWhitespace ? [highlightWhitespace(), highlightTrailingWhitespace()] : [],
  ];
}

/**
 * Loads the extensions that some settings need (Vim and Emacs keymaps, indent guides, sticky
 * scroll), each in a chunk of its own.
 */
export async function loadSettingsExtensions(settings: EditorSettings): Promise<Extension> {
  const { keymap, showsGuides, showsScopes } = settings;
  return await Promise.all([
    keymap === 'vim' ? import('./keymaps/vim.ts').then(({ vim }) => vim) : [],
    keymap === 'emacs' ? import('./keymaps/emacs.ts').then(({ emacs }) => emacs) : [],
    showsGuides ? import('./indent-guides.ts').then(({ indentGuides }) => indentGuides) : [],
    showsScopes ? import('./sticky-scroll.ts').then(({ stickyScroll }) => stickyScroll) : [],
  ]);
}
