/** End tags that CodeMirror's languages do not write: of these, by what stands before the cursor. */
import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** A tag that is still open, where `<` begins it; in quotes and braces may stand what likes. */
const openTag = /<([A-Za-z][\w.:-]*)(?:\s(?:"[^"]*"|'[^']*'|\{[^{}]*\}|[^<>"'{}])*(?<!\/))?$/;
const farthest = 2_000;

/** `<script>` and `<style>`, whose content is no markup. */
export const closeRawTags = closeTags(({ name, after }) => {
  if (!/^(?:script|style)$/i.test(name)) return false;
  const next = new RegExp(`<(/?)${name}\\b`, 'i').exec(after());
  return next?.[1] !== '/';
});

/** Svelte’s, behind attributes and at several cursors. */
export const closeSvelteTags = closeTags(({ name, state, from }) => {
  if (/^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i.test(name))
    return false;
  const tag = syntaxTree(state).resolveInner(from + 1, 1).parent;
  return tag?.name === 'OpenTag' && tag.parent?.lastChild?.name !== 'CloseTag';
});

/** Of members: `<A.B>`. */
export const closeMemberTags = closeTags(({ name, state, from }) => {
  const tag = syntaxTree(state).resolveInner(from, 1).parent;
  return name.includes('.') && tag !== null && tag.name.startsWith('JSX');
});

interface OpenTag {
  readonly name: string;
  readonly state: EditorState;
  /** Where `<` stands. */
  readonly from: number;
  /** What follows the cursor. */
  after(): string;
}

function closeTags(isMeant: (tag: OpenTag) => boolean): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    const { state } = view;
    if (text !== '>' || from !== to || view.composing || state.readOnly) return false;
    const names = state.selection.ranges.map(({ head }) => findOpenName(state, head, isMeant));
    // The second of two tags that are open at once is within the first for the parser.
    const change = state.changeByRange((range) => {
      const name = range.empty
        ? findOpenName(state, range.head, ({ name: own }) => names.includes(own))
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

/** The name of the tag that `>` closes at an offset, if it gets an end tag. */
function findOpenName(
  state: EditorState,
  at: number,
  isMeant: (tag: OpenTag) => boolean,
): string | undefined {
  const [all, name] = openTag.exec(state.sliceDoc(Math.max(0, at - farthest), at)) ?? [];
  if (all === undefined || name === undefined || state.sliceDoc(at, at + 1) === '>')
    return undefined;
  const after = () => state.sliceDoc(at);
  return isMeant({ name, state, from: at - all.length, after }) ? name : undefined;
}
