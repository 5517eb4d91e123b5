import { syntaxTree } from '@codemirror/language';
import { Facet, type EditorState } from '@codemirror/state';
import { extension } from '@vitrine/project/paths';

/** The path of the file that an editor state is of. */
export const filePath = Facet.define<string, string>({ combine: ([path = '']) => path });

/** True where a language service answers for scripts, so that what guesses is quiet. */
export const understood = Facet.define<boolean, boolean>({
  combine: (values) => values.includes(true),
});

const scripts: ReadonlySet<string> = new Set([
  'js',
  'mjs',
  'cjs',
  'jsx',
  'ts',
  'mts',
  'cts',
  'tsx',
]);
const markup: ReadonlySet<string> = new Set(['html', 'htm', 'vue', 'svelte']);
const styles: ReadonlySet<string> = new Set(['css', 'scss', 'less']);

/** True for the files that TypeScript's language service reads. */
export function isScript(path: string): boolean {
  return scripts.has(extension(path));
}

/** True for the files that are markup, with scripts and styles in it. */
export function isMarkup(path: string): boolean {
  return markup.has(extension(path));
}

/** True for the stylesheets that are understood. */
export function isStyle(path: string): boolean {
  return styles.has(extension(path));
}

/** True for the styles whose rules are those of the service that understands them: all but plain CSS. */
export function hasRuledStyles(path: string): boolean {
  return isMarkup(path) || (isStyle(path) && extension(path) !== 'css');
}

/** True in a script, be it a file or an element of markup. */
export function isScriptAt(state: EditorState, offset: number): boolean {
  const path = state.facet(filePath);
  return isScript(path) || (isMarkup(path) && isInElement(state, offset, 'script'));
}

/** True between the tags of an element of this name whose content is no markup. */
export function isInElement(state: EditorState, offset: number, name: string): boolean {
  let node = syntaxTree(state).resolveInner(offset, -1);
  while (node.name !== 'Element' && node.parent) node = node.parent;
  const [open, close] = [node.firstChild, node.lastChild];
  const tag = open?.getChild('TagName');
  if (!open || !tag || offset < open.to) return false;
  if (close?.name === 'CloseTag' && offset > close.from) return false;
  return state.sliceDoc(tag.from, tag.to).toLowerCase() === name;
}
