import { autocompletion } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import type { FileEdits, Place } from '../typescript/messages.ts';
import { understood } from '../understood.ts';
import { completeByTypes } from './complete.ts';
import { descriptions, showDescription } from './describe.ts';
import { fixList, fixSource } from './fix-list.ts';
import { findFixes, organise } from './fixes.ts';
import type { LanguageClient } from './language-client.ts';
import { definitionClick, goToDefinition, listReferences } from './navigate.ts';
import { namePanel } from './name-panel.ts';
import { rename } from './rename.ts';
import { showSignature, signatures } from './signature.ts';

/** What the page around the editor does. */
export interface LanguageServiceOptions {
  readonly client: LanguageClient;
  /** The project's texts, as the client has them. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Shows a place in the project, or in the declarations of a package. */
  readonly goTo: (place: Place) => void;
  /** Makes these edits, as one step of undo. */
  readonly write: (edits: readonly FileEdits[]) => void;
}

/** TypeScript's understanding of the scripts that are shown, in their editor. */
export function languageService(options: LanguageServiceOptions): Extension {
  const { client } = options;
  const source = [{ autocomplete: completeByTypes(client) }];
  return [
    understood.of(true),
    // It answers within a few frames, and a newer letter takes the place of an older question.
    autocompletion({ activateOnTypingDelay: 0 }),
    EditorState.languageData.of(() => source),
    descriptions(client),
    signatures(client),
    fixList,
    fixSource.of({ ...options, find: (at) => findFixes(options, at) }),
    namePanel,
    definitionClick(options),
    keymap.of([
      { key: 'F12', run: (view) => goToDefinition(view, options) },
      { key: 'Shift-F12', run: (view) => listReferences(view, options) },
      { key: 'F2', run: (view) => rename(view, options) },
      { key: 'Shift-Alt-o', run: (view) => organise(view, options) },
      { key: 'Mod-Shift-Space', run: showSignature(client) },
      { key: 'Alt-F12', run: showDescription },
    ]),
  ];
}
