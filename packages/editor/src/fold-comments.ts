import { foldService, syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

/** Folds multi-line HTML and block comments after their first line, in every language. */
export const foldComments: Extension = foldService.of((state, lineStart, lineEnd) => {
  const start = lineStart + state.sliceDoc(lineStart, lineEnd).search(/\S|$/);
  const node = syntaxTree(state).resolveInner(start, 1);
  const isLong = /Comment/.test(node.name) && node.from === start && node.to > lineEnd;
  if (!isLong) return null;
  const end = /(?:-->|\*\/)?$/.exec(state.sliceDoc(Math.max(lineEnd, node.to - 3), node.to));
  return { from: lineEnd, to: node.to - (end?.[0].length ?? 0) };
});
