/** Where a new line begins in scripts and JSX, where CodeMirror's own language puts it elsewhere. */
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

/** `.b()`, `| 'b'`, `&& b`, `? b`: a line that goes on with what is before it, and ends nothing. */
const continued = /^\s+(?:\??\.[\w$#]|\|\|?|&&?|\?\??|:|\+)\s*.*[\w$)\]'"`]$/;

export const scriptIndentation: Extension = [
  indentService.of(indentContinued),
  keymap.of([{ key: 'Enter', run: openElement }]),
];

/** Behind a line that goes on, another such line may follow. */
function indentContinued(context: IndentContext, pos: number): number | undefined {
  const before = context.lineAt(pos, -1).text.trimEnd();
  if (context.simulatedBreak === null || !continued.test(before)) return undefined;
  if (context.lineAt(pos, 1).text.trim() !== '') return undefined;
  return context.countColumn(before, before.search(/\S/));
}

/** For the languages with JSX. */
export const jsxIndentation = indentNodeProp.add({
  'JSXOpenTag JSXSelfClosingTag': (context) =>
    context.lineIndent(context.node.from) + (/^\s*\/>/.test(context.textAfter) ? 0 : context.unit),
  Block: inText('}'),
  ObjectExpression: inText('}'),
  ArrayExpression: inText(']'),
  ArgList: inText(')'),
  ParenthesizedExpression: inText(')'),
});

/** A line that begins as text of an element counts from where it stands, and not from the element. */
function inText(end: string) {
  const otherwise = delimitedIndent({ closing: end });
  return (context: TreeIndentContext): number | null => {
    const { node, state } = context;
    const begins = syntaxTree(state).resolve(state.doc.lineAt(node.from).from);
    if (begins.name !== 'JSXText') return otherwise(context);
    const isClosed = context.textAfter.trimStart().startsWith(end);
    return context.lineIndent(node.from) + (isClosed ? 0 : context.unit);
  };
}

/** `<p>‸</p>` → three lines, as between brackets. */
function openElement(view: EditorView): boolean {
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
