import { syntaxTree } from '@codemirror/language';
import { Facet, type EditorState } from '@codemirror/state';
import { getExtension } from '@vitrine/project/paths';

/** Path of the file that an editor state belongs to. */
export const filePath = Facet.define<string, string>({ combine: ([path = '']) => path });

/** True if a language service completes scripts, so that heuristic completion is turned off. */
export const hasLanguageService = Facet.define<boolean, boolean>({
  combine: (values) => values.includes(true),
});

const scriptExtensions: ReadonlySet<string> = new Set([
  'js',
  'mjs',
  'cjs',
  'jsx',
  'ts',
  'mts',
  'cts',
  'tsx',
]);
const markupExtensions: ReadonlySet<string> = new Set(['html', 'htm', 'vue', 'svelte']);
const styleExtensions: ReadonlySet<string> = new Set(['css', 'pcss', 'postcss', 'scss', 'less']);

/** True for scripts that TypeScript's language service reads. */
export function isScript(path: string): boolean {
  return scriptExtensions.has(getExtension(path));
}

/** True for markup files, which can contain scripts and styles. */
export function isMarkup(path: string): boolean {
  return markupExtensions.has(getExtension(path));
}

/** True for stylesheets that the CSS language service reads. */
export function isStyle(path: string): boolean {
  return styleExtensions.has(getExtension(path));
}

/** True for files whose styles are linted by the CSS language service. ESLint covers plain CSS. */
export function hasLintedStyles(path: string): boolean {
  return isMarkup(path) || ['scss', 'less'].includes(getExtension(path));
}

/** True inside a script, which is a file or a `<script>` element in markup. */
export function isScriptAt(state: EditorState, offset: number): boolean {
  const path = state.facet(filePath);
  return isScript(path) || (isMarkup(path) && isInElement(state, offset, 'script'));
}

/** True between the tags of the element with this name, for `<script>` and `<style>`. */
export function isInElement(state: EditorState, offset: number, name: string): boolean {
  let node = syntaxTree(state).resolveInner(offset, -1);
  while (node.name !== 'Element' && node.parent) node = node.parent;
  const [open, close] = [node.firstChild, node.lastChild];
  const tag = open?.getChild('TagName');
  if (!open || !tag || offset < open.to) return false;
  if (close?.name === 'CloseTag' && offset > close.from) return false;
  return state.sliceDoc(tag.from, tag.to).toLowerCase() === name;
}
