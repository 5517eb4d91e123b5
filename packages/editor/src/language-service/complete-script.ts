import {
  insertCompletionText,
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { completeWithoutTypes } from '../languages/javascript.ts';
import type { CompletionEntry, TextEdit } from '../typescript/messages.ts';
import { filePath, isScriptAt } from '../language-facets.ts';
import type { TextCompletion } from '../text-completion.ts';
import { renderDocumentation } from './render-documentation.ts';
import type { LanguageClient } from './language-client.ts';
import { DocumentationCache, type LoadDocumentation } from './documentation-cache.ts';

/** Completes scripts from TypeScript's language service. */
export function completeScript(client: LanguageClient): CompletionSource {
  const documentationCache = new DocumentationCache();
  return async (context) => {
    const { state, pos, explicit } = context;
    const path = state.facet(filePath);
    if (!isScriptAt(state, pos) || !(explicit || isTriggered(context))) return null;
    const list = await client.request('completions', { path, offset: pos, isExplicit: explicit });
    if (context.aborted) return null;
    // Without the worker, falls back to names in the file.
    if (list === undefined) return completeWithoutTypes(context);
    if (list === null || list.entries.length === 0) return null;
    const loadDocumentation = documentationCache.createLoader(list.from, context);
    return {
      from: list.from,
      options: list.entries.map((entry) => toOption(entry, context, client, loadDocumentation)),
      ...(list.isComplete && { validFor: /^[\w$\u0080-\uffff]*$/ }),
    } satisfies CompletionResult;
  };
}

/**
 * True after characters that start a word or path, but not in numbers (1, 0.5, 0xff) or comments,
 * except for JSDoc tags.
 */
function isTriggered(context: CompletionContext): boolean {
  if (context.tokenBefore(['LineComment', 'BlockComment']))
    return context.matchBefore(/@\w*$/) !== null;
  return (
    context.matchBefore(/[\w$.'"`/@<#\u0080-\uffff]$/) !== null &&
    context.matchBefore(/(?<![\w$.\u0080-\uffff])\.?\d[\w.]*$/) === null
  );
}

function toOption(
  entry: CompletionEntry,
  { view, pos }: CompletionContext,
  client: LanguageClient,
  loadDocumentation: LoadDocumentation,
): TextCompletion {
  const { name, type, rank, origin, isDeprecated = false } = entry;
  const isPlain = !origin && (entry.to ?? pos) <= pos;
  return {
    label: name,
    type: isDeprecated ? `${type} deprecated` : type,
    sortText: `${rank} ${name}`,
    boost: rateBoost(rank),
    ...(origin && { detail: shortenSpecifier(origin.source) }),
    ...(view && {
      info: () =>
        loadDocumentation(`${name} ${origin?.source}`, () =>
          fetchDocumentation(view, entry, client),
        ),
    }),
    insertText: isPlain ? (entry.insert ?? name) : undefined,
    apply: (target, completion, from, to) =>
      applyCompletion(target, completion, { entry, from, to, pos }, client),
  };
}

/** Ranks nearby names higher, auto-imports and deprecated names lower. */
function rateBoost(rank: string): number {
  if (rank.startsWith('z')) return -60;
  if (rank.startsWith('16')) return -30;
  return rank.startsWith('15') ? -5 : 5;
}

/** The module specifier as it is, or the end of a long one. */
function shortenSpecifier(source: string): string {
  return source.length > 40 ? `…${source.slice(-38)}` : source;
}

async function fetchDocumentation(
  view: EditorView,
  entry: CompletionEntry,
  client: LanguageClient,
): Promise<Node | null> {
  const detail = await requestDetail(view, entry, client);
  return detail ? renderDocumentation(view.state, detail) : null;
}

function requestDetail(
  { state }: EditorView,
  { name, origin }: CompletionEntry,
  client: LanguageClient,
) {
  const at = { path: state.facet(filePath), offset: state.selection.main.head };
  return client.request('completion', { ...at, name, origin: origin ?? null });
}

interface Insertion {
  readonly entry: CompletionEntry;
  readonly from: number;
  readonly to: number;
  /** Cursor position at the time of the request. */
  readonly pos: number;
}

/**
 * Inserts the name at once. A needed import is added when it is known, as part of the same undo
 * step.
 */
function applyCompletion(
  view: EditorView,
  completion: Completion,
  insertion: Insertion,
  client: LanguageClient,
): void {
  const { entry, from, to, pos } = insertion;
  const text = entry.insert ?? entry.name;
  const start = entry.from ?? from;
  // Typing since the request has moved the end of the replaced range.
  const end = entry.to === undefined ? to : Math.max(to, entry.to + to - pos);
  view.dispatch({
    ...insertCompletionText(view.state, text, start, end),
    annotations: pickedCompletion.of(completion),
  });
  if (entry.origin) void addImport(view, entry, client);
}

/** Retries if the text has changed since the request, since edits refer to its offsets. */
async function addImport(
  view: EditorView,
  entry: CompletionEntry,
  client: LanguageClient,
  tries = 3,
): Promise<void> {
  const { doc } = view.state;
  const path = view.state.facet(filePath);
  const detail = await requestDetail(view, entry, client);
  if (!detail || view.state.facet(filePath) !== path) return;
  if (view.state.doc === doc)
    view.dispatch({ changes: toChangeSpecs(detail.edits), userEvent: 'input.complete.import' });
  else if (tries > 1) await addImport(view, entry, client, tries - 1);
}

function toChangeSpecs(edits: readonly TextEdit[]) {
  return edits.map(({ from, to, insert }) => ({ from, to, insert }));
}
