import type { LinterMessage } from './lint-diagnostics.ts';

/** Comments, strings, unquoted URLs and escaped characters, in which braces mean nothing, and braces. */
const tokens =
  /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|\burl\((?!\s*["'])(?:\\[\s\S]|[^)\\])*|\\[\s\S]|[{}]/g;

/**
 * Returns a message about the first `}` of a stylesheet that closes nothing. CSS has no error for it: browsers take it for the start
 * of the next selector, and ignore that rule. `p { top: 0; } } a { left: 0; }` → the second `}`
 */
export function findStrayBrace(css: string): readonly LinterMessage[] {
  let depth = 0;
  for (const { 0: token, index } of css.matchAll(tokens)) {
    if (token === '{') depth += 1;
    else if (token === '}') depth -= 1;
    if (depth >= 0) continue;
    const [from, to] = [index, index + 1];
    return [
      {
        rule: 'stray-brace',
        message: 'This “}” closes nothing, so browsers ignore the rule after it.',
        from,
        to,
        severity: 'warning',
        suggestions: [{ label: 'Remove “}”', edit: { from, to, insert: '' } }],
      },
    ];
  }
  return [];
}
