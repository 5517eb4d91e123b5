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
  const next = new RegExp(`<(/?)${name}\\b`, 'i').exec(after);
  return next?.[1] !== '/';
});

/** Svelte’s behind attributes. */
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
  readonly after: string;
}

function closeTags(isMeant: (tag: OpenTag) => boolean): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    const { state } = view;
    if (text !== '>' || from !== to || view.composing || state.readOnly) return false;
    if (state.selection.ranges.length > 1) return false;
    const found = openTag.exec(state.sliceDoc(Math.max(0, from - farthest), from));
    const [all = '', name = ''] = found ?? [];
    const after = state.sliceDoc(from);
    if (!name || !isMeant({ name, state, from: from - all.length, after })) return false;
    view.dispatch({
      changes: { from, insert: `></${name}>` },
      selection: EditorSelection.cursor(from + 1),
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  });
}
