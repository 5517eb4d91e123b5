import {
  pickedCompletion,
  snippet,
  startCompletion,
  insertCompletionText,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { MarkupCompletion } from '../markup/messages.ts';
import { filePath, isMarkup, isScript, isScriptAt, isStyle } from '../language-facets.ts';
import type { TextCompletion } from '../text-completion.ts';
import { renderDocumentation } from './render-documentation.ts';
import { DocumentationCache, type LoadDocumentation } from './documentation-cache.ts';
import type { MarkupClient } from './markup-client.ts';
import { toSnippetTemplate } from './snippet-template.ts';

/** Characters after which completion opens while typing. */
const triggerCharacters = /[\w\u0080-\uffff$@#.:<"'=/(!&-]$/;
/** Attributes in scripts whose values the markup worker completes. */
const scriptContext = /\bclass(?:Name)?\s*=\s*\{?\s*["'`][^"'`]*$/;

const isWord = /^[.#$@:]*[\w\u0080-\uffff-]*$/;

/** Completes markup and styles from their worker; in scripts only class names. */
export function completeMarkup(client: MarkupClient): CompletionSource {
  const documentationCache = new DocumentationCache();
  return async (context) => {
    const { state, pos, explicit } = context;
    const path = state.facet(filePath);
    const isApplicable = isScript(path)
      ? context.matchBefore(scriptContext) !== null
      : (isMarkup(path) || isStyle(path)) && !isScriptAt(state, pos);
    if (!isApplicable || !(explicit || context.matchBefore(triggerCharacters))) return null;
    const list = await client.request('completions', { path, offset: pos });
    if (!list || context.aborted) return null;
    const loadDocumentation = documentationCache.createLoader(list.from, context);
    const word = state.sliceDoc(list.from, pos);
    return {
      from: list.from,
      options: list.entries.map((entry) => toOption(entry, context, client, loadDocumentation)),
      // The worker has filtered the list already, so it stays valid only while the word grows.
      // Units are requested again for each number.
      validFor: (text) => text.startsWith(word) && !/^-?[\d.]/.test(text) && isWord.test(text),
    } satisfies CompletionResult;
  };
}

function toOption(
  entry: MarkupCompletion,
  { view, pos }: CompletionContext,
  client: MarkupClient,
  loadDocumentation: LoadDocumentation,
): TextCompletion {
  const { name, type, rank, detail, isDeprecated = false, isTemplate, isFollowed } = entry;
  const end = entry.to ?? pos;
  const isPlain = !isTemplate && !isFollowed && end <= pos;
  return {
    label: name,
    type: isDeprecated ? `${type} deprecated` : type,
    sortText: rank,
    ...(isDeprecated && { boost: -50 }),
    ...(type === 'snippet' && { boost: -10 }),
    ...(detail !== undefined && { detail }),
    ...(view && {
      info: () => loadDocumentation(name, () => fetchDocumentation(view, name, client)),
    }),
    insertText: isPlain ? (entry.insert ?? name) : undefined,
    // Typing since the request has moved the end of the replaced range.
    apply: (target, completion, from, to) =>
      applyCompletion(target, completion, entry, from, Math.max(to, end + to - pos)),
  };
}

async function fetchDocumentation(
  view: EditorView,
  name: string,
  client: MarkupClient,
): Promise<Node | null> {
  const detail = await client.request('completion', { name });
  return detail ? renderDocumentation(view.state, { ...detail, code: '' }) : null;
}

function applyCompletion(
  view: EditorView,
  completion: Completion,
  { name, insert: text = name, isTemplate = false, isFollowed = false }: MarkupCompletion,
  from: number,
  to: number,
): void {
  if (isTemplate) snippet(toSnippetTemplate(text))(view, completion, from, to);
  else
    view.dispatch({
      ...insertCompletionText(view.state, text, from, to),
      annotations: pickedCompletion.of(completion),
    });
  if (isFollowed) startCompletion(view);
}
