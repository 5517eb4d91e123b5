/**
 * Closing tags that CodeMirror's language packages do not insert, decided by the text before the
 * cursor.
 */
import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** An expression in braces, with strings in it and up to four more levels of braces. */
const expression = [1, 2, 3, 4].reduce(
  (inner) => `\\{(?:${inner}|"[^"]*"|'[^']*'|\`[^\`]*\`|[^{}"'\`])*\\}`,
  /\{[^{}]*\}/.source,
);

/** An opening tag without its `>`. Quotes in it may contain anything. */
const openTag = new RegExp(
  `<([A-Za-z][\\w.:-]*)(?:\\s(?:"[^"]*"|'[^']*'|${expression}|[^<>"'{}])*(?<!/))?$`,
);
const maxTagLength = 2_000;

/** Closes `<script>` and `<style>`, whose content is not markup. */
export const closeRawTextTags = closeTags(({ name, after }) => {
  if (!/^(?:script|style)$/i.test(name)) return false;
  const next = new RegExp(`<(/?)${name}\\b`, 'i').exec(after());
  return next?.[1] !== '/';
});

/**
 * Closes tags in Svelte and Vue, also after attributes with expressions and, in Svelte, with
 * several cursors.
 */
export const closeComponentTags = closeTags(({ name, state, from }) => {
  if (/^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i.test(name))
    return false;
  const tag = syntaxTree(state).resolveInner(from + 1, 1).parent;
  return tag?.name === 'OpenTag' && tag.parent?.lastChild?.name !== 'CloseTag';
});

/** Closes JSX tags with member names, `<A.B>`, or whose last attribute has an expression. */
export const closeJsxTags = closeTags(({ state, from, after }) => {
  const tag = syntaxTree(state).resolveInner(from, 1).parent;
  return tag !== null && tag.name.startsWith('JSX') && !/^(?:\/>|<\/)/.test(after());
});

interface OpenTag {
  readonly name: string;
  readonly state: EditorState;
  /** Offset of `<`. */
  readonly from: number;
  /** The text after the cursor. */
  after(): string;
}

function closeTags(shouldClose: (tag: OpenTag) => boolean): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    const { state } = view;
    if (text !== '>' || from !== to || view.composing || state.readOnly) return false;
    const names = state.selection.ranges.map(({ head }) => findOpenName(state, head, shouldClose));
    // To the parser, the second of two open tags is nested in the first.
    const change = state.changeByRange((range) => {
      const name = range.empty
        ? findOpenName(state, range.head, ({ name: each }) => names.includes(each))
        : undefined;
      const insert = name === undefined ? '>' : `></${name}>`;
      return {
        changes: { from: range.from, to: range.to, insert },
        range: EditorSelection.cursor(range.from + 1),
      };
    });
    const isAny = names.some((name) => name !== undefined);
    if (isAny) view.dispatch(change, { userEvent: 'input.type', scrollIntoView: true });
    return isAny;
  });
}

/** The name of the tag that typing `>` at an offset completes, if it gets a closing tag. */
function findOpenName(
  state: EditorState,
  at: number,
  shouldClose: (tag: OpenTag) => boolean,
): string | undefined {
  const [all, name] = openTag.exec(state.sliceDoc(Math.max(0, at - maxTagLength), at)) ?? [];
  if (all === undefined || name === undefined || state.sliceDoc(at, at + 1) === '>')
    return undefined;
  const after = () => state.sliceDoc(at);
  return shouldClose({ name, state, from: at - all.length, after }) ? name : undefined;
}
