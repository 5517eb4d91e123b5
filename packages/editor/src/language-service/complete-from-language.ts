import {
  completeFromList,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { filePath, isMarkup, isStyle } from '../language-facets.ts';
import type { MarkupClient } from './markup-client.ts';
import { completeScriptSnippets } from './script-snippets.ts';

/** Completes from the language's own sources and script snippets, where no worker completes. */
export function completeFromLanguage(markup: MarkupClient): CompletionSource {
  return async (context) => {
    const path = context.state.facet(filePath);
    if (markup.isAvailable && (isMarkup(path) || isStyle(path))) return null;
    const sources = [...findSources(context), completeScriptSnippets];
    const results = await Promise.all(sources.map((source) => source(context)));
    return results.reduce(mergeResults, null);
  };
}

function findSources({ state, pos }: CompletionContext): CompletionSource[] {
  const sources: readonly unknown[] = state.languageDataAt('autocomplete', pos);
  return sources.flatMap((source) => {
    if (typeof source === 'function') return source as CompletionSource;
    return Array.isArray(source) ? completeFromList(source) : [];
  });
}

/** Merges two results that start at the same position. */
function mergeResults(
  a: CompletionResult | null,
  b: CompletionResult | null,
): CompletionResult | null {
  if (!a || !b) return a ?? b;
  return a.from === b.from ? { ...a, options: [...a.options, ...b.options] } : a;
}
