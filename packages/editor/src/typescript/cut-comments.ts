/**
 * Declarations in two parts, as the build makes them of the language’s own: two thirds of these are
 * comments, which the worker needs only when somebody is told of one.
 */

export interface Cut {
  /** With something short in the place of each comment that says what its kind is. */
  readonly code: string;
  /** All of them, one behind the other. */
  readonly comments: string;
}

/** Comments in blocks; ahead of them what is kept, and may look as if it had some. */
const blocks = /("[^"\n]*"|'[^'\n]*'|`[^`]*`|\/\/[^\n]*)|\/\*[\s\S]*?\*\//g;

// `/** Says it. */ name: string` → `/***/ name: string` and `/** Says it. */`
export function cutComments(text: string): Cut {
  const comments: string[] = [];
  const code = text.replace(blocks, (found: string, kept?: string) => {
    if (kept !== undefined) return kept;
    comments.push(found);
    return toPlace(found);
  });
  return { code, comments: comments.join('') };
}

/** A text whose comments were cut, or the beginning of one, as it was. */
export function joinComments({ code, comments }: Cut): string {
  const all = findComments(comments).values();
  return code.replace(blocks, (_, kept?: string) => {
    if (kept !== undefined) return kept;
    const { pos = 0, end = 0 } = all.next().value ?? {};
    return comments.slice(pos, end);
  });
}

/** Where comments are in a text, or where they were: the nth is the nth. */
export function findComments(text: string): { readonly pos: number; readonly end: number }[] {
  return [...text.matchAll(blocks)].flatMap(({ 0: found, 1: kept, index }) =>
    kept === undefined ? { pos: index, end: index + found.length } : [],
  );
}

/** What is deprecated is struck out in lists, without its comment. */
function toPlace(comment: string): string {
  if (!/^\/\*\*[^/]/.test(comment)) return '/**/';
  return /(?:^\/\*\*|\n)[\s*]*@deprecated\b/.test(comment) ? '/**@deprecated*/' : '/***/';
}
