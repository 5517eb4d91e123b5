/** Which brackets and quotes are closed automatically, and where. */
import { syntaxTree } from '@codemirror/language';
import { EditorSelection, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';

const brackets = ['(', '[', '{'];
const quotes = ['"', "'", '`'];
const commentNode = /Comment/;
const stringNode = /^(?:Template)?String|^(?:Quoted)?AttributeValue$/;
const markupText = /^(?:JSX)?(?:Text|EndTag|Element)$|^JSX(?:Open|Fragment)Tag$|^Escaped?Brace$/;

interface CloseBracketsConfig {
  readonly brackets: readonly string[];
  /** Characters, besides whitespace, before which an opening bracket is closed. */
  readonly before?: string;
}

/**
 * Configures `closeBrackets()`: in comments no quotes are closed, in strings only the quote that
 * delimits them, and in markup brackets are closed before a tag too.
 */
export const bracketClosing: Extension = Prec.high(
  EditorState.languageData.of((state, pos) => {
    const closeBrackets = findConfigAt(state, pos);
    return closeBrackets ? [{ closeBrackets }] : [];
  }),
);

/** Undefined where the language's own configuration applies. */
function findConfigAt(state: EditorState, pos: number): CloseBracketsConfig | undefined {
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (commentNode.test(node.name)) return { brackets };
  if (state.sliceDoc(pos, pos + 1) === '<' && markupText.test(node.name))
    return { brackets: [...brackets, '"'], before: ')]}:;><' };
  const delimiter = findDelimiter(state, node, pos);
  return delimiter === undefined ? undefined : { brackets: [...brackets, delimiter] };
}

function findDelimiter(state: EditorState, { name, from, to }: SyntaxNode, pos: number) {
  if (!stringNode.test(name) || pos <= from || pos >= to) return undefined;
  const first = state.sliceDoc(from, from + 1);
  return quotes.includes(first) ? first : undefined;
}

/** Surrounds the selection with one of these characters when it is typed. */
export function surroundSelectionWith(characters: string): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    if (view.state.readOnly || view.composing || from === to || !characters.includes(text))
      return false;
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
