import {
  acceptCompletion,
  CompletionContext,
  snippet,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { localCompletionSource } from '@codemirror/lang-javascript';
import { syntaxTree } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
import type * as Emmet from 'emmet';
import { loadWithRetries } from '@vitrine/project/retry-loading';
import { isTabIndenting } from '../tab-key.ts';
import { filePath, isInElement, isMarkup, isScript, isStyle } from '../language-facets.ts';
import { expandAbbreviation, findAbbreviation, type AbbreviationKind } from './abbreviation.ts';
import { createElementWithText } from './render-documentation.ts';

let emmet: typeof Emmet | undefined;

/**
 * Tab expands the abbreviation before the cursor. It is not handled if there is none, while it
 * accepts a completion, or while it moves focus.
 */
export const emmetKeymap: Extension = keymap.of([
  {
    key: 'Tab',
    // A list that has just opened does not accept Tab yet, so the key falls through to `expand`.
    run: (view) => isTabIndenting(view.state) && (acceptCompletion(view) || expand(view)),
  },
]);

/** Loads Emmet. Resolves also if that fails. */
export async function loadEmmet(): Promise<void> {
  await loadWithRetries(() => import('emmet')).then(
    (module) => (emmet = module),
    // The page is outdated: there are no abbreviations until it's reloaded.
    () => undefined,
  );
}

/**
 * Offers to expand the abbreviation before the cursor. A plain word is only offered on explicit
 * completion.
 */
export const completeAbbreviation: CompletionSource = ({ state, pos, explicit }) => {
  const found = findExpansion(state, pos);
  if (!found || (found.isWord && found.kind !== 'css' && !explicit)) return null;
  const { from, text, template } = found;
  return {
    from,
    options: [
      {
        label: text,
        detail: 'Emmet',
        type: 'snippet',
        boost: found.isWord ? 0 : 50,
        apply: (view, completion, start, end) =>
          snippet(template)(view, completion, start, Math.max(end, found.to)),
        info: () =>
          createElementWithText('pre', 'cm-described cm-described-code', toPlainText(template)),
      },
    ],
    // Each keystroke makes a different abbreviation, so results are not filtered.
    filter: false,
  };
};

function expand(view: EditorView): boolean {
  const { main } = view.state.selection;
  if (!main.empty || view.state.readOnly || view.state.selection.ranges.length > 1) return false;
  const found = findExpansion(view.state, main.head);
  if (!found) return false;
  snippet(found.template)(view, null, found.from, found.to);
  return true;
}

function findExpansion(state: EditorState, pos: number) {
  const kind = emmet && findKind(state, pos);
  if (!emmet || !kind) return undefined;
  const line = state.doc.lineAt(pos);
  // Longer lines are data.
  if (line.length > 1_000) return undefined;
  const found = findAbbreviation(emmet, kind, line.text, pos - line.from);
  if (!found || (kind === 'jsx' && !isElementExpected(state, line.from + found.from, found.text)))
    return undefined;
  const template = expandAbbreviation(emmet, kind, found.text);
  return {
    ...found,
    kind,
    template,
    from: line.from + found.from,
    to: Math.max(pos, line.from + found.to),
  };
}

/** Undefined where no abbreviation is possible: in tags, values, scripts and comments. */
function findKind(state: EditorState, pos: number): AbbreviationKind | undefined {
  const path = state.facet(filePath);
  if (isStyle(path)) return isInDeclarations(state, pos) ? 'css' : undefined;
  if (isMarkup(path) && isInElement(state, pos, 'style'))
    return isInDeclarations(state, pos) ? 'css' : undefined;
  if (isMarkup(path)) return isInContent(state, pos) ? 'html' : undefined;
  if (!isScript(path)) return undefined;
  const { name } = syntaxTree(state).resolveInner(pos, -1);
  if (name === 'JSXText') return 'jsx';
  const canBeJsx = !/\.[mc]?ts$/.test(path) && !/String|Template|Comment|RegExp/.test(name);
  // Cheap check first: this runs with every keystroke, and extracting an abbreviation is slow.
  return canBeJsx && beginsInBrackets.test(textBeforeCursor(state, pos)) ? 'jsx' : undefined;
}

function textBeforeCursor(state: EditorState, at: number): string {
  return state.sliceDoc(Math.max(0, at - 200), at);
}

/** The first line of code in parentheses like those of `expectsElement`. */
const beginsInBrackets = /(?:\breturn|=>|&&|\|\||\?\?|[?:=])\s*\(\s*\S[^\n]*$/;

/** After `return (`, `=> (`, `&& (` and similar, the value is usually an element. */
const expectsElement = /(?:\breturn|=>|&&|\|\||\?\?|[?:=])\s*\(\s*$/;

/**
 * True in the text of an element, or where code expects one. There, an abbreviation that starts
 * with a name in scope is an expression: `data.items` if `data` is a parameter.
 */
function isElementExpected(state: EditorState, from: number, text: string): boolean {
  if (syntaxTree(state).resolveInner(from + 1, -1).name === 'JSXText') return true;
  if (!/^[a-z.#]/.test(text)) return false;
  if (!expectsElement.test(textBeforeCursor(state, from))) return false;
  const names: readonly string[] = text.match(/[\w$]+/g) ?? [];
  const scope = localCompletionSource(new CompletionContext(state, from + 1, true));
  return !scope?.options.some(({ label }) => names.includes(label));
}

/** True inside the braces of a rule, where a property may start. */
function isInDeclarations(state: EditorState, pos: number): boolean {
  const before = state.sliceDoc(Math.max(0, pos - 5_000), pos).replace(/\/\*[\s\S]*?\*\//g, '');
  const { name } = syntaxTree(state).resolveInner(pos, -1);
  return name !== 'Comment' && before.split('{').length > before.split('}').length;
}

function isInContent(state: EditorState, pos: number): boolean {
  let node = syntaxTree(state).resolveInner(pos, -1);
  while (!/^(?:Element|Document)$/.test(node.name) && node.parent) {
    if (!/^(?:Text|Content|⚠|EndTag|\w*Block|OpenTag|CloseTag|SelfClosingTag)$/.test(node.name))
      return false;
    // True after a tag, false inside of it.
    if (node.name.endsWith('Tag') && node.to > pos) return false;
    node = node.parent;
  }
  return !isInElement(state, pos, 'script');
}

/** A snippet template as plain text for the preview: `${1:a}` → `a`. */
function toPlainText(template: string): string {
  return template
    .replace(/\$\{\d+(?::((?:\\[{}]|[^{}])*))?\}/g, (_all, text: string | undefined) => text ?? '')
    .replace(/\\([{}])/g, '$1')
    .replaceAll('\t', '  ');
}
