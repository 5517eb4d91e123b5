/** Where decorators of the standard stand: no browser runs them yet, nor fields with `accessor`. */
import { findStop } from './check-script.ts';

/** Whether a script may hold some; quick, and in doubt it says yes. */
export function mayHoldDecorators(text: string): boolean {
  return /(?<![\w.])@[\p{ID_Start}$_([]|\baccessor\s/u.test(text);
}

/** Whether it is at one of them that a script, without types and JSX, stops being readable. */
export function holdsDecorators(code: string): boolean {
  if (!mayHoldDecorators(code)) return false;
  const stop = findStop(code);
  return stop !== undefined && (code[stop] === '@' || /\baccessor\s+$/.test(code.slice(0, stop)));
}
