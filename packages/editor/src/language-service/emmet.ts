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
import { indentsByTab } from '../tab-key.ts';
import { filePath, isInElement, isMarkup, isScript, isStyle } from '../understood.ts';
import { expandAbbreviation, findAbbreviation, type AbbreviationKind } from './abbreviation.ts';
import { element } from './code-nodes.ts';

let loaded: typeof Emmet | undefined;

/**
 * Tab writes out the abbreviation before the cursor, unless a list is open that it chooses from. Where
 * none stands, and where Tab moves on through the page, the key is not taken.
 */
export const emmetKeys: Extension = keymap.of([
  {
    key: 'Tab',
    // A list that has just opened does not take it yet.
    run: (view) => indentsByTab(view.state) && (acceptCompletion(view) || expand(view)),
  },
]);

/** Loads what knows the abbreviations; resolves also where it does not come. */
export async function loadEmmet(): Promise<void> {
  await import('emmet').then(
    (module) => (loaded = module),
    // Without a network there are none; who opens the next project asks again.
    () => undefined,
  );
}

/** Offers what the abbreviation before the cursor stands for. A lone word is left to Tab and to who asks. */
export const completeAbbreviation: CompletionSource = ({ state, pos, explicit }) => {
  const found = findAt(state, pos);
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
        info: () => element('pre', 'cm-described cm-described-code', plainText(template)),
      },
    ],
    // Each letter makes another abbreviation.
    filter: false,
  };
};

function expand(view: EditorView): boolean {
  const { main } = view.state.selection;
  if (!main.empty || view.state.readOnly || view.state.selection.ranges.length > 1) return false;
  const found = findAt(view.state, main.head);
  if (!found) return false;
  snippet(found.template)(view, null, found.from, found.to);
  return true;
}

function findAt(state: EditorState, pos: number) {
  const kind = loaded && kindAt(state, pos);
  if (!loaded || !kind) return undefined;
  const line = state.doc.lineAt(pos);
  // Longer lines are data.
  if (line.length > 1_000) return undefined;
  const found = findAbbreviation(loaded, kind, line.text, pos - line.from);
  if (!found || (kind === 'jsx' && !isElementExpected(state, line.from + found.from, found.text)))
    return undefined;
  const template = expandAbbreviation(loaded, kind, found.text);
  return {
    ...found,
    kind,
    template,
    from: line.from + found.from,
    to: Math.max(pos, line.from + found.to),
  };
}

/** Undefined where no abbreviation can stand: in tags, values, scripts and comments. */
function kindAt(state: EditorState, pos: number): AbbreviationKind | undefined {
  const path = state.facet(filePath);
  if (isStyle(path)) return isInDeclarations(state, pos) ? 'css' : undefined;
  if (isMarkup(path) && isInElement(state, pos, 'style'))
    return isInDeclarations(state, pos) ? 'css' : undefined;
  if (isMarkup(path)) return isInContent(state, pos) ? 'html' : undefined;
  if (!isScript(path)) return undefined;
  const { name } = syntaxTree(state).resolveInner(pos, -1);
  if (name === 'JSXText') return 'jsx';
  const canBeJsx = !/\.[mc]?ts$/.test(path) && !/String|Template|Comment|RegExp/.test(name);
  // Asked with every key: reading an abbreviation takes longer.
  return canBeJsx && beginsInBrackets.test(textBefore(state, pos)) ? 'jsx' : undefined;
}

function textBefore(state: EditorState, at: number): string {
  return state.sliceDoc(Math.max(0, at - 200), at);
}

/** The first line with code in such brackets as `expectsElement` says. */
const beginsInBrackets = /(?:\breturn|=>|&&|\|\||\?\?|[?:=])\s*\(\s*\S[^\n]*$/;

/** Behind `return (`, `=> (`, `&& (` and the like, the value is mostly an element. */
const expectsElement = /(?:\breturn|=>|&&|\|\||\?\?|[?:=])\s*\(\s*$/;

/**
 * In the text of an element, or where the code expects one. There, what begins with a name of the code
 * is an expression: `data.items` where `data` is a parameter.
 */
function isElementExpected(state: EditorState, from: number, text: string): boolean {
  if (syntaxTree(state).resolveInner(from + 1, -1).name === 'JSXText') return true;
  if (!/^[a-z.#]/.test(text)) return false;
  if (!expectsElement.test(textBefore(state, from))) return false;
  const names: readonly string[] = text.match(/[\w$]+/g) ?? [];
  const inScope = localCompletionSource(new CompletionContext(state, from + 1, true));
  return !inScope?.options.some(({ label }) => names.includes(label));
}

/** Between the braces of a rule, where a property begins. */
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
    // Behind a tag, not in it.
    if (node.name.endsWith('Tag') && node.to > pos) return false;
    node = node.parent;
  }
  return !isInElement(state, pos, 'script');
}

/** `${1:a}` → `a`, for who looks at it. */
function plainText(template: string): string {
  return template
    .replace(/\$\{\d+(?::((?:\\[{}]|[^{}])*))?\}/g, (_all, text: string | undefined) => text ?? '')
    .replace(/\\([{}])/g, '$1')
    .replaceAll('\t', '  ');
}
