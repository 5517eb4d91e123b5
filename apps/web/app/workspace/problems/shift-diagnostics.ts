import type { SourceLocation } from '@vitrine/sandbox/host';

/** A diagnostic with a range. Offsets are 0-based UTF-16 units; lines and columns are 1-based. */
export interface RangedDiagnostic extends SourceLocation {
  readonly from: number;
  readonly to: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/**
 * Shifts diagnostics from old to new texts: those before an edit stay, those after it move, those
 * inside it are dropped. Returns the same array if nothing moved.
 */
export function shiftDiagnostics<P extends RangedDiagnostic>(
  problems: readonly P[],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly P[] {
  if (problems.every(({ path }) => before.get(path) === after.get(path))) return problems;
  const byPath = Map.groupBy(problems, ({ path }) => path);
  const shifted = [...byPath].flatMap(([path, each]) => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old === now) return each;
    return old === undefined || now === undefined ? [] : shiftInFile(each, old, now);
  });
  const isSame =
    shifted.length === problems.length && shifted.every((each, at) => each === problems[at]);
  return isSame ? problems : shifted;
}

function shiftInFile<P extends RangedDiagnostic>(
  problems: readonly P[],
  before: string,
  after: string,
): P[] {
  const start = countCommonPrefix(before, after);
  const suffix = countCommonSuffix(before.slice(start), after.slice(start));
  const delta = after.length - before.length;
  const lines =
    countLines(after, start, after.length - suffix) -
    countLines(before, start, before.length - suffix);
  return problems.flatMap((problem) => {
    if (problem.to < start) return problem;
    if (problem.from < before.length - suffix) return [];
    const [from, to] = [problem.from + delta, problem.to + delta];
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
const chunkLength = 1_024;

function countCommonPrefix(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  const chunk = (text: string, same: number) => text.slice(same, same + chunkLength);
  let same = 0;
  while (same + chunkLength <= max && chunk(a, same) === chunk(b, same)) same += chunkLength;
  while (same < max && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

function countCommonSuffix(a: string, b: string): number {
  const max = Math.min(a.length, b.length);
  const chunk = (text: string, same: number) =>
    text.slice(text.length - same - chunkLength, text.length - same);
  let same = 0;
  while (same + chunkLength <= max && chunk(a, same) === chunk(b, same)) same += chunkLength;
  while (same < max && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same))
    same += 1;
  return same;
}

function countLines(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}
