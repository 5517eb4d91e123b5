import type { CodePlace } from './code-place.ts';

/** A diagnostic with a range. Offsets are 0-based UTF-16 units; lines and columns are 1-based. */
export interface PlacedProblem extends CodePlace {
  readonly from: number;
  readonly to: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * Shifts diagnostics from old to new texts: those before an edit stay, those after it move, those
 * inside it are dropped. Returns the same array if nothing moved.
 */
export function shiftProblems<P extends PlacedProblem>(
  problems: readonly P[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly P[] {
  if (problems.every(({ path }) => before.get(path) === after.get(path))) return problems;
  const byPath = Map.groupBy(problems, ({ path }) => path);
  const moved = [...byPath].flatMap(([path, each]) => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return each;
    return old === undefined || now === undefined ? [] : shiftInFile(each, old, now);
  });
  const isSame =
    moved.length === problems.length && moved.every((each, at) => each === problems[at]);
  return isSame ? problems : moved;
}

function shiftInFile<P extends PlacedProblem>(
  problems: readonly P[],
  before: string,
  after: string,
): P[] {
  const start = countSameStart(before, after);
  const kept = countSameEnd(before.slice(start), after.slice(start));
  const grown = after.length - before.length;
  const lines =
    countLines(after, start, after.length - kept) - countLines(before, start, before.length - kept);
  return problems.flatMap((problem) => {
    if (problem.to < start) return problem;
    if (problem.from < before.length - kept) return [];
    const [from, to] = [problem.from + grown, problem.to + grown];
    return {
      ...problem,
      from,
      to,
      line: problem.line + lines,
      column: from - after.lastIndexOf('\n', from - 1),
      endLine: problem.endLine + lines,
      endColumn: to - after.lastIndexOf('\n', to - 1),
    };
  });
}

/**
 * Texts are compared in chunks: comparing a megabyte character by character takes 10 ms per
 * keystroke.
 */
const pieceLength = 1_024;

function countSameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  const piece = (text: string, same: number) => text.slice(same, same + pieceLength);
  let same = 0;
  while (same + pieceLength <= most && piece(a, same) === piece(b, same)) same += pieceLength;
  while (same < most && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

function countSameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  const piece = (text: string, same: number) =>
    text.slice(text.length - same - pieceLength, text.length - same);
  let same = 0;
  while (same + pieceLength <= most && piece(a, same) === piece(b, same)) same += pieceLength;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same))
    same += 1;
  return same;
}

function countLines(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}
