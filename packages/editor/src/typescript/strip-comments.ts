/**
 * Splits declaration files into code and comments at build time. Two thirds of TypeScript's
 * standard library are comments, which the worker needs only when documentation is shown.
 */

/** A declaration file split into code and comments. */
interface StrippedText {
  /** The code, with a short placeholder for each comment. */
  readonly code: string;
  /** All comments, concatenated. */
  readonly comments: string;
}

/**
 * Block comments. Strings and line comments match first, so that block comments in them are
 * skipped.
 */
const blockComments = /("[^"\n]*"|'[^'\n]*'|`[^`]*`|\/\/[^\n]*)|\/\*[\s\S]*?\*\//g;

// `/** Says it. */ name: string` → code `/***/ name: string` and comment `/** Says it. */`.
export function stripComments(text: string): StrippedText {
  const comments: string[] = [];
  const code = text.replace(blockComments, (comment: string, skipped?: string) => {
    if (skipped !== undefined) return skipped;
    comments.push(comment);
    return toPlaceholder(comment);
  });
  return { code, comments: comments.join('') };
}

/** Restores the comments in a text, or in its beginning. */
export function restoreComments({ code, comments }: StrippedText): string {
  const all = findComments(comments).values();
  return code.replace(blockComments, (_, skipped?: string) => {
    if (skipped !== undefined) return skipped;
    const { pos = 0, end = 0 } = all.next().value ?? {};
    return comments.slice(pos, end);
  });
}

/**
 * Ranges of the block comments or placeholders in a text. The nth placeholder stands for the nth
 * comment.
 */
export function findComments(text: string): { readonly pos: number; readonly end: number }[] {
  return [...text.matchAll(blockComments)].flatMap(({ 0: comment, 1: skipped, index }) =>
    skipped === undefined ? { pos: index, end: index + comment.length } : [],
  );
}

/**
 * The placeholder of a comment. It keeps the `@deprecated` tag, so that completion lists can strike
 * out names.
 */
function toPlaceholder(comment: string): string {
  if (!/^\/\*\*[^/]/.test(comment)) return '/**/';
  return /(?:^\/\*\*|\n)[\s*]*@deprecated\b/.test(comment) ? '/**@deprecated*/' : '/***/';
}
