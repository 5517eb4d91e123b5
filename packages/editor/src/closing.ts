/** Which brackets and quotes close themselves, and where. */
import { syntaxTree } from '@codemirror/language';
import { EditorSelection, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';

const brackets = ['(', '[', '{'];
const quotes = ['"', "'", '`'];
const comment = /Comment/;
const string = /^(?:Template)?String|^(?:Quoted)?AttributeValue$/;
const markupText = /^(?:JSX)?(?:Text|EndTag|Element)$|^JSX(?:Open|Fragment)Tag$|^Escaped?Brace$/;

interface Closing {
  readonly brackets: readonly string[];
  /** In front of these, and of space, what opens is closed. */
  readonly before?: string;
}

/**
 * In comments no quote closes itself, and within quotes none but theirs. In markup a bracket closes
 * also in front of a tag.
 */
export const closing: Extension = Prec.high(
  EditorState.languageData.of((state, pos) => {
    const closeBrackets = closingAt(state, pos);
    return closeBrackets ? [{ closeBrackets }] : [];
  }),
);

/** Undefined where the language says which. */
function closingAt(state: EditorState, pos: number): Closing | undefined {
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (comment.test(node.name)) return { brackets };
  if (state.sliceDoc(pos, pos + 1) === '<' && markupText.test(node.name))
    return { brackets: [...brackets, '"'], before: ')]}:;><' };
  const own = ownQuote(state, node, pos);
  return own === undefined ? undefined : { brackets: [...brackets, own] };
}

function ownQuote(state: EditorState, { name, from, to }: SyntaxNode, pos: number) {
  if (!string.test(name) || pos <= from || pos >= to) return undefined;
  const first = state.sliceDoc(from, from + 1);
  return quotes.includes(first) ? first : undefined;
}

/** What is selected is put between two of these signs, where one is typed. */
export function surroundedBy(signs: string): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    if (view.state.readOnly || view.composing || from === to || !signs.includes(text)) return false;
    const change = view.state.changeByRange((range) => ({
      changes: [
        { from: range.from, insert: text },
        { from: range.to, insert: text },
      ],
      range: EditorSelection.range(range.anchor + 1, range.head + 1),
    }));
    view.dispatch(change, { userEvent: 'input.type', scrollIntoView: true });
    return true;
  });
}
