import { syntaxTree } from '@codemirror/language';
import { EditorState, type ChangeSpec, type Extension, type Transaction } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Renames the closing tag while the name of its opening tag is edited, in the same undo step. */
export const linkedTags: Extension = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || !/^(?:input|delete)\b/.test(userEventOf(transaction)))
    return transaction;
  const linked = findClosingChange(transaction);
  return linked ? [transaction, { changes: linked, sequential: true }] : transaction;
});

function userEventOf(transaction: Transaction): string {
  return ['input.type', 'delete', 'input'].find((event) => transaction.isUserEvent(event)) ?? '';
}

/** The change of the closing tag's name, with offsets after the first change. */
function findClosingChange({ startState, changes, newDoc }: Transaction): ChangeSpec | undefined {
  const changed: { from: number; to: number; insert: string }[] = [];
  changes.iterChanges((from, to, _fromB, _toB, insert) => {
    changed.push({ from, to, insert: insert.toString() });
  });
  const [change, ...others] = changed;
  // Text that is not part of a name ends it, such as a space before an attribute.
  if (!change || others.length > 0 || !/^[\w.:-]*$/.test(change.insert)) return undefined;
  const pair = findPair(startState, change.from);
  if (!pair || change.to > pair.open.to) return undefined;
  const name = startState.sliceDoc(pair.open.from, pair.open.to);
  if (name === '' || name !== startState.sliceDoc(pair.close.from, pair.close.to)) return undefined;
  const insert = newDoc.sliceString(pair.open.from, changes.mapPos(pair.open.to, 1));
  return insert === ''
    ? undefined
    : { from: changes.mapPos(pair.close.from, 1), to: changes.mapPos(pair.close.to, 1), insert };
}

/** The names of the pair of tags whose opening name is at an offset. */
function findPair(state: EditorState, offset: number) {
  const sides = [-1, 1] as const;
  for (const side of sides) {
    const open = findOpenTag(syntaxTree(state).resolveInner(offset, side));
    const close = open?.parent?.lastChild;
    if (!open || !close || !/^(?:JSX)?CloseTag$/.test(close.name)) continue;
    const [openName, closeName] = [findName(open), findName(close)];
    if (openName && closeName && openName.from <= offset && offset <= openName.to)
      return { open: openName, close: closeName };
  }
  return undefined;
}

/** A JSX name is one or two nodes deep in its tag. */
function findOpenTag(inner: SyntaxNode): SyntaxNode | undefined {
  let node: SyntaxNode | null = inner;
  for (let depth = 0; node && depth < 4; depth += 1, node = node.parent)
    if (/^(?:JSX)?OpenTag$/.test(node.name)) return node;
  return undefined;
}

function findName(tag: SyntaxNode): SyntaxNode | null {
  for (let child = tag.firstChild; child; child = child.nextSibling)
    if (isName(child)) return child;
  return null;
}

function isName({ name }: SyntaxNode): boolean {
  return /^(?:TagName|ComponentName|SvelteElementName|JSXIdentifier|JSXBuiltin|JSXMemberExpression)$/.test(
    name,
  );
}
