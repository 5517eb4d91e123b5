import {
  completeFromList,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { filePath, isMarkup, isStyle } from '../understood.ts';
import type { MarkupClient } from './markup-client.ts';
import { completeScriptSnippets } from './script-snippets.ts';

/** What each language completes by itself, where no worker answers for it. */
export function completeOtherwise(markup: MarkupClient): CompletionSource {
  return async (context) => {
    const path = context.state.facet(filePath);
    if (markup.isAlive && (isMarkup(path) || isStyle(path))) return null;
    const sources = [...sourcesAt(context), completeScriptSnippets];
    const found = await Promise.all(sources.map((source) => source(context)));
    return found.reduce(join, null);
  };
}

function sourcesAt({ state, pos }: CompletionContext): CompletionSource[] {
  const sources: readonly unknown[] = state.languageDataAt('autocomplete', pos);
  return sources.flatMap((source) => {
    if (typeof source === 'function') return source as CompletionSource;
    return Array.isArray(source) ? completeFromList(source) : [];
  });
}

/** Of those that begin at one place. */
function join(
  one: CompletionResult | null,
  other: CompletionResult | null,
): CompletionResult | null {
  if (!one || !other) return one ?? other;
  return one.from === other.from ? { ...one, options: [...one.options, ...other.options] } : one;
}
