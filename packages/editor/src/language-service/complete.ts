import {
  insertCompletionText,
  pickedCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { completePlainly } from '../languages/javascript.ts';
import type { CompletionEntry, TextEdit } from '../typescript/messages.ts';
import { filePath, isScriptAt } from '../understood.ts';
import { describedNode } from './code-nodes.ts';
import type { LanguageClient } from './language-client.ts';
import { LastTold, type Tell } from './last-told.ts';

/** Of what can stand at a place, by the types of everything around it. */
export function completeByTypes(client: LanguageClient): CompletionSource {
  const told = new LastTold();
  return async (context) => {
    const { state, pos, explicit } = context;
    const path = state.facet(filePath);
    if (!isScriptAt(state, pos) || !(explicit || isWorthAsking(context))) return null;
    const list = await client.ask('completions', { path, offset: pos, isExplicit: explicit });
    if (context.aborted) return null;
    // Better what stands in the file than nothing.
    if (list === undefined) return completePlainly(context);
    if (list === null || list.entries.length === 0) return null;
    const tell = told.at(list.from, context);
    return {
      from: list.from,
      options: list.entries.map((entry) => toOption(entry, context, client, tell)),
      ...(list.isComplete && { validFor: /^[\w$\u0080-\uffff]*$/ }),
    } satisfies CompletionResult;
  };
}

/** Behind what begins a word or a path; not within a number (1, 0.5, 0xff), nor among words for people. */
function isWorthAsking(context: CompletionContext): boolean {
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
  tell: Tell,
): Completion {
  const { name, type, rank, origin, isDeprecated = false } = entry;
  return {
    label: name,
    type: isDeprecated ? `${type} deprecated` : type,
    sortText: `${rank} ${name}`,
    boost: boostOf(rank),
    ...(origin && { detail: shortOf(origin.source) }),
    ...(view && {
      info: () => tell(`${name} ${origin?.source}`, () => describe(view, entry, client)),
    }),
    apply: (into, completion, from, to) =>
      insert(into, completion, { entry, from, to, pos }, client),
  };
}

/** What is nearest counts more; what must be imported, or is deprecated, less. */
function boostOf(rank: string): number {
  if (rank.startsWith('z')) return -60;
  if (rank.startsWith('16')) return -30;
  return rank.startsWith('15') ? -5 : 5;
}

/** `./things/a.ts`, `react`: shown as they are; a long one by its end. */
function shortOf(source: string): string {
  return source.length > 40 ? `…${source.slice(-38)}` : source;
}

async function describe(
  view: EditorView,
  entry: CompletionEntry,
  client: LanguageClient,
): Promise<Node | null> {
  const detail = await askDetail(view, entry, client);
  return detail ? describedNode(view.state, detail) : null;
}

function askDetail(
  { state }: EditorView,
  { name, origin }: CompletionEntry,
  client: LanguageClient,
) {
  const at = { path: state.facet(filePath), offset: state.selection.main.head };
  return client.ask('completion', { ...at, name, origin: origin ?? null });
}

interface Place {
  readonly entry: CompletionEntry;
  readonly from: number;
  readonly to: number;
  /** Where the cursor was when it was asked. */
  readonly pos: number;
}

/** The name at once; the import that it needs a moment later, as a part of the same step. */
function insert(
  view: EditorView,
  completion: Completion,
  place: Place,
  client: LanguageClient,
): void {
  const { entry, from, to, pos } = place;
  const text = entry.insert ?? entry.name;
  const start = entry.from ?? from;
  // What was typed since moved the end with it.
  const end = entry.to === undefined ? to : Math.max(to, entry.to + to - pos);
  view.dispatch({
    ...insertCompletionText(view.state, text, start, end),
    annotations: pickedCompletion.of(completion),
  });
  if (entry.origin) void addImport(view, entry, client);
}

/** Again where something was typed meanwhile: the edits are counted in the text of now. */
async function addImport(
  view: EditorView,
  entry: CompletionEntry,
  client: LanguageClient,
  tries = 3,
): Promise<void> {
  const { doc } = view.state;
  const path = view.state.facet(filePath);
  const detail = await askDetail(view, entry, client);
  if (!detail || view.state.facet(filePath) !== path) return;
  if (view.state.doc === doc)
    view.dispatch({ changes: toChanges(detail.edits), userEvent: 'input.complete.import' });
  else if (tries > 1) await addImport(view, entry, client, tries - 1);
}

function toChanges(edits: readonly TextEdit[]) {
  return edits.map(({ from, to, insert }) => ({ from, to, insert }));
}
