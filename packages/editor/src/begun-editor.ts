/**
 * The early editor: usable before the shared document has loaded. It contains only what is needed
 * to show and edit a text; `adoptEarlyEditor` turns it into a full editor.
 */
import { history, historyKeymap, redo, undo } from '@codemirror/commands';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, gutter, keymap } from '@codemirror/view';
import type { ErrorCode } from '@vitrine/project/errors';
import { basics, nameContent } from './basics.ts';
import { fileActions } from './commands/command.ts';
import { ownInput } from './own-input.ts';
import { plainInput } from './plain-input.ts';
import { loadSettings, settingsAtHand, type EditorSettings } from './settings.ts';
import { tabKey } from './tab-key.ts';
import { findFitting } from './too-deep.ts';

export { loadLanguage } from './languages.ts';
export { beginLanguageWorker } from './language-service/begun-worker.ts';
export { initialSettings } from './settings.ts';

/** Options of `createEarlyEditor`. */
export interface BeginOptions {
  readonly parent: HTMLElement;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  readonly path: string;
  /** Text that the page was rendered with. */
  readonly text: string;
  readonly settings: EditorSettings;
}

/** The state that a full editor takes over. */
export interface BegunEditor extends Pick<BeginOptions, 'path' | 'text' | 'settings'> {
  readonly view: EditorView;
  /** Extensions loaded for the settings so far. */
  readonly loaded: Extension;
  /** True if the text was edited. The edits exist only here. */
  readonly isTyped: boolean;
  /** Why an edit was rejected before the full editor could report it. */
  readonly refused: ErrorCode | undefined;
  /** Stops updating the view, which a full editor now owns. */
  leave(): void;
  close(): void;
}

const settingsCompartment = new Compartment();

/** Creates an early editor with a text of its own. */
export function beginEditor(options: BeginOptions): BegunEditor {
  const { path, text, settings, parent } = options;
  // Saving and formatting are not available yet.
  const actions = fileActions.of({
    undo: () => undo(view),
    redo: () => redo(view),
    save: () => true,
    format: () => true,
  });
  let refused: ErrorCode | undefined;
  const input = plainInput((code) => (refused = code));
  const extensions = [createExtensions(options), input, actions];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  let loaded: Extension = [];
  let isHandedOver = false;
  void applyLoadedSettings();
  return {
    path,
    text,
    settings,
    view,
    get loaded() {
      return loaded;
    },
    get isTyped() {
      return view.state.doc.toString() !== text;
    },
    get refused() {
      return refused;
    },
    leave: () => void (isHandedOver = true),
    close() {
      isHandedOver = true;
      view.destroy();
    },
  };

  async function applyLoadedSettings(): Promise<void> {
    // Without a network the keymap stays VS Code's and indent guides are missing.
    const extensions = await loadSettings(settings).catch(() => undefined);
    if (!extensions || isHandedOver) return;
    loaded = extensions;
    view.dispatch({
      effects: settingsCompartment.reconfigure([extensions, settingsAtHand(settings)]),
    });
  }
}

function createExtensions({ path, text, settings, nonce }: BeginOptions): Extension {
  const names = { paths: () => [], texts: () => [text] };
  return [
    findFitting(path, text, names) ?? [],
    nameContent(path),
    settingsCompartment.of(settingsAtHand(settings)),
    tabKey(() => undefined),
    // Keeps the browser from opening its save dialog.
    keymap.of([{ key: 'Mod-s', run: () => true, preventDefault: true }, ...historyKeymap]),
    history(),
    ownInput,
    // Reserves the width of the lint gutter.
    gutter({ class: 'cm-gutter-lint' }),
    basics,
    EditorView.contentAttributes.of({ 'aria-readonly': 'false' }),
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
  ];
}
