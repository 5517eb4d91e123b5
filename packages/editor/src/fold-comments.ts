import { foldService, syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

/** `<!--` and `/*` of several lines fold behind their first, in every language. */
export const foldComments: Extension = foldService.of((state, lineStart, lineEnd) => {
  const begins = lineStart + state.sliceDoc(lineStart, lineEnd).search(/\S|$/);
  const node = syntaxTree(state).resolveInner(begins, 1);
  const isLong = /Comment/.test(node.name) && node.from === begins && node.to > lineEnd;
  if (!isLong) return null;
  const end = /(?:-->|\*\/)?$/.exec(state.sliceDoc(Math.max(lineEnd, node.to - 3), node.to));
  return { from: lineEnd, to: node.to - (end?.[0].length ?? 0) };
});
