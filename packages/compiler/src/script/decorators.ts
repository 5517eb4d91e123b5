/** Detection of standard decorators and `accessor` fields, which no browser supports yet. */
import { findSyntaxErrorIndex } from './check-script.ts';

/** Whether a script may contain decorators. Fast; returns true if unsure. */
export function mayHaveDecorators(text: string): boolean {
  // The transform writes `/* @__PURE__ */` in front of each JSX element.
  return /(?<![\w.]|\/\* )@[\p{ID_Start}$_([]|\baccessor\s/u.test(text);
}

/** Whether the first syntax error of JavaScript without types and JSX is at a decorator. */
export function hasDecorators(code: string): boolean {
  if (!mayHaveDecorators(code)) return false;
  const stop = findSyntaxErrorIndex(code);
  return stop !== undefined && (code[stop] === '@' || /\baccessor\s+$/.test(code.slice(0, stop)));
}
