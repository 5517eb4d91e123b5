/** Indents scripts and JSX where CodeMirror's own indentation differs from what is expected. */
import {
  delimitedIndent,
  indentNodeProp,
  indentService,
  indentString,
  getIndentUnit,
  syntaxTree,
  type IndentContext,
  type TreeIndentContext,
} from '@codemirror/language';
import { EditorSelection, type Extension } from '@codemirror/state';
import { keymap, type EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';

/**
 * `.b()`, `| 'b'`, `&& b`, `? b`: a line that continues the previous one and does not end the
 * statement.
 */
const continuationLine = /^\s+(?:\??\.[\w$#]|\|\|?|&&?|\?\??|:|\+)\s*.*[\w$)\]'"`]$/;

export const scriptIndentation: Extension = [
  indentService.of(indentContinued),
  keymap.of([{ key: 'Enter', run: splitElement }]),
];

/** Keeps the indentation after a continuation line, since another may follow. */
function indentContinued(context: IndentContext, pos: number): number | undefined {
  const before = context.lineAt(pos, -1).text.trimEnd();
  if (context.simulatedBreak === null || !continuationLine.test(before)) return undefined;
  if (context.lineAt(pos, 1).text.trim() !== '') return undefined;
  return context.countColumn(before, before.search(/\S/));
}

/** Indentation in languages with JSX. */
export const jsxIndentation = indentNodeProp.add({
  'JSXOpenTag JSXSelfClosingTag': (context) => {
    // Enter before `>` makes room for an attribute.
    const end = context.simulatedBreak === null ? /^\s*\/?>/ : /^\s*\/>/;
    const isEnd = end.test(context.textAfter);
    return context.lineIndent(context.node.from) + (isEnd ? 0 : context.unit);
  },
  Block: indentInJsxText('}'),
  ObjectExpression: indentInJsxText('}'),
  ArrayExpression: indentInJsxText(']'),
  ArgList: indentInJsxText(')'),
  ParenthesizedExpression: indentInJsxText(')'),
  // Empty parentheses are parsed as the parameters of an arrow function.
  ParamList: indentInJsxText(')'),
});

/**
 * Code that follows JSX text or a closing bracket in its line, `{a.map(() => (` or `) : (`, is
 * indented relative to that line, not to the element.
 */
function indentInJsxText(closingCharacter: string) {
  const defaultIndent = delimitedIndent({ closing: closingCharacter });
  return (context: TreeIndentContext): number | null => {
    const { node, state } = context;
    const line = state.doc.lineAt(node.from);
    const lineStart = syntaxTree(state).resolve(line.from);
    const isAfterBracket = /^\s*[)\]}]/.test(line.text) && isInJsxEscape(lineStart);
    if (lineStart.name !== 'JSXText' && !isAfterBracket) return defaultIndent(context);
    const isClosed = context.textAfter.trimStart().startsWith(closingCharacter);
    return context.lineIndent(node.from) + (isClosed ? 0 : context.unit);
  };
}

function isInJsxEscape(node: SyntaxNode): boolean {
  for (let each: SyntaxNode | null = node; each; each = each.parent)
    if (each.name === 'JSXEscape') return true;
  return false;
}

/** Enter between tags, `<p>‸</p>`, makes three lines, as between brackets. */
function splitElement(view: EditorView): boolean {
  const { state } = view;
  const { main, ranges } = state.selection;
  const isBetween = main.empty && state.sliceDoc(main.head, main.head + 2) === '</';
  const before = syntaxTree(state).resolveInner(main.head, -1);
  if (state.readOnly || ranges.length > 1 || !isBetween || before.name !== 'JSXEndTag')
    return false;
  const line = state.doc.lineAt(before.parent?.from ?? main.head);
  const column = line.text.search(/\S|$/);
  const outer = state.lineBreak + indentString(state, column);
  const inner = state.lineBreak + indentString(state, column + getIndentUnit(state));
  view.dispatch({
    changes: { from: main.head, insert: inner + outer },
    selection: EditorSelection.cursor(main.head + inner.length),
    userEvent: 'input',
    scrollIntoView: true,
  });
  return true;
}
