import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { FileEdits, Place } from '../typescript/messages.ts';
import { serviceCommands, type ServiceCommand } from '../commands/command.ts';
import { behindLetter } from '../letter-frame.ts';
import { understood } from '../understood.ts';
import { completeByTypes } from './complete.ts';
import { completeMarkup } from './complete-markup.ts';
import { completeOtherwise } from './complete-otherwise.ts';
import { descriptions, showDescription } from './describe.ts';
import { changeColour, openColour } from './colour-panel.ts';
import { completeAbbreviation, emmetKeys, loadEmmet } from './emmet.ts';
import type { Clients } from './find-client.ts';
import { fixList, fixSource } from './fix-list.ts';
import { findFixes, organise } from './fixes.ts';
import { formPanel } from './form-panel.ts';
import { linkedTags } from './linked-tags.ts';
import { definitionClick, goToDefinition, listReferences } from './navigate.ts';
import { rename } from './rename.ts';
import { showSignature, signatures } from './signature.ts';
import { swatches } from './swatches.ts';

/** What the page around the editor does. */
export interface LanguageServiceOptions extends Clients {
  /** The project's texts, as the clients have them. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Shows a place in the project, or in the declarations of a package. */
  readonly goTo: (place: Place) => void;
  /** Makes these edits, as one step of undo. */
  readonly write: (edits: readonly FileEdits[]) => void;
}

/** What the workers understand of the files that are shown, in their editor. */
export function languageService(options: LanguageServiceOptions): Extension {
  const { client, markup } = options;
  const override = [
    completeByTypes(client),
    completeMarkup(markup),
    completeAbbreviation,
    completeOtherwise(markup),
  ].map(heldBack);
  void loadEmmet();
  return [
    understood.of(true),
    // It answers within a few frames, and a newer letter takes the place of an older question.
    autocompletion({ activateOnTypingDelay: 0, override }),
    descriptions(options),
    signatures(client),
    // Ahead of the list of fixes, which answers to the same command.
    serviceCommands.of({ id: 'fix', run: (view) => changeColour(view, markup) }),
    fixList,
    fixSource.of({ ...options, find: (at, state) => findFixes(options, at, state) }),
    linkedTags,
    emmetKeys,
    formPanel,
    swatches(markup, (view, colour) => openColour(view, colour, markup)),
    definitionClick(options),
    commandsOf(options).map((command) => serviceCommands.of(command)),
  ];
}

/** A list that opened ahead of its letter would hold it up. */
function heldBack(source: CompletionSource): CompletionSource {
  return async (context) => {
    const found = await source(context);
    await new Promise<void>(behindLetter);
    return found;
  };
}

function commandsOf(options: LanguageServiceOptions): readonly ServiceCommand[] {
  return [
    { id: 'definition', run: (view) => goToDefinition(view, options) },
    { id: 'references', run: (view) => listReferences(view, options) },
    { id: 'rename', run: (view) => rename(view, options) },
    { id: 'organiseImports', run: (view) => organise(view, options) },
    { id: 'signature', run: showSignature(options.client) },
    { id: 'description', run: showDescription },
  ];
}
