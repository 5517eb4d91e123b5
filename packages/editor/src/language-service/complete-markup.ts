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
import type { MarkupEntry } from '../markup/messages.ts';
import { filePath, isMarkup, isScript, isScriptAt, isStyle } from '../understood.ts';
import { describedNode } from './code-nodes.ts';
import { LastTold, type Tell } from './last-told.ts';
import type { MarkupClient } from './markup-client.ts';
import { toTemplate } from './template.ts';

/** Behind these something can be completed that nobody has begun to write. */
const begun = /[\w\u0080-\uffff$@#.:<"'=/(!&-]$/;
/** Where a script names what styles and files are: a class, or an address. */
const named =
  /\b(?:class(?:Name)?|src|href|poster|action)\s*=\s*\{?\s*["'`][^"'`]*$|\b(?:from|import|URL|require)\b\s*\(?\s*["'][^"']*$/;

const isWord = /^[.#$@:]*[\w\u0080-\uffff-]*$/;

/** Of what can stand at a place of markup or styles; of classes and paths in scripts. */
export function completeMarkup(client: MarkupClient): CompletionSource {
  const told = new LastTold();
  return async (context) => {
    const { state, pos, explicit } = context;
    const path = state.facet(filePath);
    const isAsked = isScript(path)
      ? context.matchBefore(named) !== null
      : (isMarkup(path) || isStyle(path)) && !isScriptAt(state, pos);
    if (!isAsked || !(explicit || context.matchBefore(begun))) return null;
    const list = await client.ask('completions', { path, offset: pos });
    if (!list || context.aborted) return null;
    const tell = told.at(list.from, context);
    const word = state.sliceDoc(list.from, pos);
    return {
      from: list.from,
      options: list.entries.map((entry) => toOption(entry, context, client, tell)),
      // What did not fit is not in the list. Units come with their number.
      validFor: (text) => text.startsWith(word) && !/^-?[\d.]/.test(text) && isWord.test(text),
    } satisfies CompletionResult;
  };
}

function toOption(
  entry: MarkupEntry,
  { view, pos }: CompletionContext,
  client: MarkupClient,
  tell: Tell,
): Completion {
  const { name, type, rank, detail, isDeprecated = false } = entry;
  const end = entry.to ?? pos;
  return {
    label: name,
    type: isDeprecated ? `${type} deprecated` : type,
    sortText: rank,
    ...(isDeprecated && { boost: -50 }),
    ...(type === 'snippet' && { boost: -10 }),
    ...(detail !== undefined && { detail }),
    ...(view && { info: () => tell(name, () => describe(view, name, client)) }),
    // What was typed since moved the end with it.
    apply: (into, completion, from, to) =>
      insert(into, completion, entry, from, Math.max(to, end + to - pos)),
  };
}

async function describe(
  view: EditorView,
  name: string,
  client: MarkupClient,
): Promise<Node | null> {
  const detail = await client.ask('completion', { name });
  return detail ? describedNode(view.state, { ...detail, code: '' }) : null;
}

function insert(
  view: EditorView,
  completion: Completion,
  { name, insert: text = name, isTemplate = false, isFollowed = false }: MarkupEntry,
  from: number,
  to: number,
): void {
  if (isTemplate) snippet(toTemplate(text))(view, completion, from, to);
  else
    view.dispatch({
      ...insertCompletionText(view.state, text, from, to),
      annotations: pickedCompletion.of(completion),
    });
  if (isFollowed) startCompletion(view);
}
