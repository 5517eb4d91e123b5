/**
 * An editor that stands, and can be typed into, before the text that all replicas share is there. It is
 * made of the least that shows a text and takes letters as ever; the rest comes with `takeEditor`.
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

export interface BeginOptions {
  readonly parent: HTMLElement;
  /** The nonce of the page's style policy. */
  readonly nonce?: string;
  readonly path: string;
  /** As the page has it. */
  readonly text: string;
  readonly settings: EditorSettings;
}

export interface BegunEditor extends Pick<BeginOptions, 'path' | 'text' | 'settings'> {
  readonly view: EditorView;
  /** What had to be loaded for the settings, once it is there. */
  readonly loaded: Extension;
  /** Something was typed that is nowhere else. */
  readonly isTyped: boolean;
  /** Why something was not taken in, while nobody was there to say so. */
  readonly refused: ErrorCode | undefined;
  /** Somebody else has the view from now on. */
  leave(): void;
  close(): void;
}

const settingsPart = new Compartment();

/** Begins an editor on a text of its own. */
export function beginEditor(options: BeginOptions): BegunEditor {
  const { path, text, settings, parent } = options;
  // What they would save and format is not there yet.
  const actions = fileActions.of({
    undo: () => undo(view),
    redo: () => redo(view),
    save: () => true,
    format: () => true,
  });
  let refused: ErrorCode | undefined;
  const input = plainInput((code) => (refused = code));
  const extensions = [extensionsOf(options), input, actions];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  let loaded: Extension = [];
  let isLeft = false;
  void settle();
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
    leave: () => void (isLeft = true),
    close() {
      isLeft = true;
      view.destroy();
    },
  };

  async function settle(): Promise<void> {
    // Without a network the keys stay VS Code’s and the text plain.
    const found = await loadSettings(settings).catch(() => undefined);
    if (!found || isLeft) return;
    loaded = found;
    view.dispatch({ effects: settingsPart.reconfigure([found, settingsAtHand(settings)]) });
  }
}

function extensionsOf({ path, text, settings, nonce }: BeginOptions): Extension {
  const names = { paths: () => [], texts: () => [text] };
  return [
    findFitting(path, text, names) ?? [],
    nameContent(path),
    settingsPart.of(settingsAtHand(settings)),
    tabKey(() => undefined),
    // Without it the browser saves the page.
    keymap.of([{ key: 'Mod-s', run: () => true, preventDefault: true }, ...historyKeymap]),
    history(),
    ownInput,
    // As wide as the one that problems come to.
    gutter({ class: 'cm-gutter-lint' }),
    basics,
    EditorView.contentAttributes.of({ 'aria-readonly': 'false' }),
    nonce === undefined ? [] : EditorView.cspNonce.of(nonce),
  ];
}
