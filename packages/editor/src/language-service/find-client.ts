import type { EditorState } from '@codemirror/state';
import type { MarkupAnswered, MarkupAsked } from '../markup/messages.ts';
import { filePath, isMarkup, isScriptAt, isStyle } from '../understood.ts';
import type { LanguageClient } from './language-client.ts';
import type { MarkupClient } from './markup-client.ts';

/** The clients of the language workers. */
export interface Clients {
  readonly client: LanguageClient;
  readonly markup: MarkupClient;
}

/** Requests that scripts, markup and styles have in common. */
type SharedKind = 'description' | 'definitions' | 'references' | 'renaming' | 'rename';

type SharedParams = Pick<MarkupAsked, SharedKind>;
type SharedResults = Pick<MarkupAnswered, SharedKind>;

interface SharedClient {
  ask<K extends SharedKind>(kind: K, at: SharedParams[K]): Promise<SharedResults[K] | undefined>;
}

/**
 * The client whose worker handles the text at an offset of the shown file. Undefined if none does.
 */
export function findClient(
  { client, markup }: Clients,
  state: EditorState,
  offset: number,
): SharedClient | undefined {
  if (isScriptAt(state, offset)) return client;
  const path = state.facet(filePath);
  return isMarkup(path) || isStyle(path) ? markup : undefined;
}
