import type { EditorState } from '@codemirror/state';
import type { MarkupResults, MarkupParams } from '../markup/messages.ts';
import { filePath, isMarkup, isScriptAt, isStyle } from '../language-facets.ts';
import type { LanguageClient } from './language-client.ts';
import type { MarkupClient } from './markup-client.ts';
import type { FileEdits, CodeLocation } from '../typescript/messages.ts';

/** The clients of the language workers. */
export interface LanguageClients {
  readonly scripts: LanguageClient;
  readonly markup: MarkupClient;
}

/** Requests that scripts, markup and styles have in common. */
type SharedKind = 'description' | 'definitions' | 'references' | 'renaming' | 'rename';

type SharedParams = Pick<MarkupParams, SharedKind>;
type SharedResults = Pick<MarkupResults, SharedKind>;

interface SharedClient {
  request<K extends SharedKind>(
    kind: K,
    at: SharedParams[K],
  ): Promise<SharedResults[K] | undefined>;
}

/**
 * The client whose worker handles the text at an offset of the shown file. Undefined if none does.
 */
export function findClientAt(
  { scripts: client, markup }: LanguageClients,
  state: EditorState,
  offset: number,
): SharedClient | undefined {
  if (isScriptAt(state, offset)) return client;
  const path = state.facet(filePath);
  return isMarkup(path) || isStyle(path) ? markup : undefined;
}

/** What the page provides to the language services. */
export interface LanguageServiceOptions extends LanguageClients {
  /** The project's texts, the same map that the clients send. */
  readonly files: () => ReadonlyMap<string, string>;
  /** Shows a location in the project, or in a package's declarations. */
  readonly goTo: (location: CodeLocation) => void;
  /** Applies edits as one undo step. */
  readonly write: (edits: readonly FileEdits[]) => void;
}
