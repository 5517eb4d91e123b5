/**
 * The early editor: usable before the shared document has loaded. It contains only what is needed
 * to show and edit a text; `adoptEarlyEditor` turns it into a full editor.
 */
import { history, historyKeymap, redo, undo } from '@codemirror/commands';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, gutter, keymap } from '@codemirror/view';
import type { ErrorCode } from '@vitrine/project/errors';
import { basicExtensions, createContentAttributes } from './basics.ts';
import { fileActions } from './commands/command.ts';
import { textInput } from './text-input.ts';
import { sanitizeInput } from './sanitize-input.ts';
import { loadSettingsExtensions, configureSettings, type EditorSettings } from './settings.ts';
import { tabKey } from './tab-key.ts';
import { findLanguageWithinLimit } from './nesting-limit.ts';

export { loadLanguage } from './languages.ts';
export { initialSettings } from './settings.ts';

/** Options of `createEarlyEditor`. */
interface EarlyEditorOptions {
  readonly parent: HTMLElement;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  readonly path: string;
  /** Text that the page was rendered with, or that the device has instead. */
  readonly text: string;
  /** Edited text from an earlier page. */
  readonly typed?: string;
  readonly settings: EditorSettings;
}

/** The state that a full editor takes over. */
export interface EarlyEditor extends Pick<EarlyEditorOptions, 'path' | 'text' | 'settings'> {
  readonly view: EditorView;
  /** Extensions loaded for the settings so far. */
  readonly loadedExtensions: Extension;
  /** True if the text was edited. The edits exist only here. */
  readonly hasEdits: boolean;
  /** Why an edit was rejected before the full editor could report it. */
  readonly rejectedInput: ErrorCode | undefined;
  /** Stops updating the view, which a full editor now owns. */
  handOver(): void;
  close(): void;
}

const settingsCompartment = new Compartment();

/** Creates an early editor with a text of its own. */
export function createEarlyEditor(options: EarlyEditorOptions): EarlyEditor {
  const { path, text, typed = text, settings, parent } = options;
  // Saving and formatting are not available yet.
  const actions = fileActions.of({
    undo: () => undo(view),
    redo: () => redo(view),
    save: () => true,
    format: () => true,
  });
  let refused: ErrorCode | undefined;
  const input = sanitizeInput((code) => (refused = code));
  const extensions = [createExtensions(options), input, actions];
  const view = new EditorView({ parent, state: EditorState.create({ doc: typed, extensions }) });
  let loaded: Extension = [];
  let isHandedOver = false;
  void applyLoadedSettings();
  return {
    path,
    text,
    settings,
    view,
    get loadedExtensions() {
      return loaded;
    },
    get hasEdits() {
      return view.state.doc.toString() !== text;
    },
    get rejectedInput() {
      return refused;
    },
    handOver: () => void (isHandedOver = true),
    close() {
      isHandedOver = true;
      view.destroy();
    },
  };

  async function applyLoadedSettings(): Promise<void> {
    // Without a network the keymap stays VS Code's and indent guides are missing until the app's
    // editor loads them.
    const extensions = await loadSettingsExtensions(settings).catch(() => undefined);
    if (!extensions || isHandedOver) return;
    loaded = extensions;
    view.dispatch({
      effects: settingsCompartment.reconfigure([extensions, configureSettings(settings)]),
    });
  }
}

function createExtensions({ path, text, settings, nonce }: EarlyEditorOptions): Extension {
  const names = { texts: () => [text] };
  return [
    findLanguageWithinLimit(path, text, names) ?? [],
    createContentAttributes(path),
    settingsCompartment.of(configureSettings(settings)),
    tabKey(() => undefined),
    // Keeps the browser from opening its save dialog.
    keymap.of([{ key: 'Mod-s', run: () => true, preventDefault: true }, ...historyKeymap]),
    history(),
    textInput,
    // Reserves the width of the lint gutter.
    gutter({ class: 'cm-gutter-lint' }),
    basicExtensions,
    EditorView.contentAttributes.of({ 'aria-readonly': 'false' }),
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
  ];
}
