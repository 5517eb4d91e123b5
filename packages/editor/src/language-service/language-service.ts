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

/** What the page provides to the language services. */
export interface LanguageServiceOptions extends Clients {
  /** The project's texts, the same map that the clients send. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Shows a location in the project, or in a package's declarations. */
  readonly goTo: (place: Place) => void;
  /** Applies edits as one undo step. */
  readonly write: (edits: readonly FileEdits[]) => void;
}

/**
 * Extensions that connect the workers to the editor: completion, hover, signatures, quick fixes,
 * rename and navigation.
 */
export function languageService(options: LanguageServiceOptions): Extension {
  const { client, markup } = options;
  const sources = [
    completeByTypes(client),
    completeMarkup(markup),
    completeAbbreviation,
    completeOtherwise(markup),
  ].map(afterTyping);
  void loadEmmet();
  return [
    understood.of(true),
    // The worker answers within a few frames, and a newer request replaces the older.
    autocompletion({ activateOnTypingDelay: 0, override: sources }),
    descriptions(options),
    signatures(client),
    // Precedes the quick fix menu, which handles the same command.
    serviceCommands.of({ id: 'fix', run: (view) => changeColour(view, markup) }),
    fixList,
    fixSource.of({ ...options, find: (at, state) => findFixes(options, at, state) }),
    linkedTags,
    emmetKeys,
    formPanel,
    swatches(markup, (view, colour) => openColour(view, colour, markup)),
    definitionClick(options),
    createCommands(options).map((command) => serviceCommands.of(command)),
  ];
}

/**
 * Delays a completion result until the typed character is painted, since opening the list takes
 * time.
 */
function afterTyping(source: CompletionSource): CompletionSource {
  return async (context) => {
    const result = await source(context);
    await new Promise<void>(behindLetter);
    return result;
  };
}

function createCommands(options: LanguageServiceOptions): readonly ServiceCommand[] {
  return [
    { id: 'definition', run: (view) => goToDefinition(view, options) },
    { id: 'references', run: (view) => listReferences(view, options) },
    { id: 'rename', run: (view) => rename(view, options) },
    { id: 'organiseImports', run: (view) => organise(view, options) },
    { id: 'signature', run: showSignature(options.client) },
    { id: 'description', run: showDescription },
  ];
}
