/**
 * Turns the message of an uncaught error into plain English. Each rule matches the wording of Chromium and
 * Firefox (collected from Chromium 156 and Firefox ESR 153). A message that no rule matches is shown as the
 * browser wrote it.
 */
import { quoted, wordKnown } from '@vitrine/compiler';
import { languageRules } from './thrown-language.ts';
import { pageRules } from './thrown-page.ts';
import type { Around } from './thrown-place.ts';
import { valueRules } from './thrown-values.ts';

export interface Said {
  sentence: string;
  /** Suggested replacement for the text at the error's location, or at a column of its line. */
  meant?: { name: string; by: string; column?: number };
}

/** The first rule whose pattern matches explains the error. */
export type Rule = readonly [
  pattern: RegExp,
  explain: (found: RegExpExecArray, around: Around) => string | Said,
];

const rules: readonly Rule[] = [
  ...valueRules,
  ...languageRules,
  ...pageRules,
  [
    /^SyntaxError: ([\s\S]+)$/,
    ([, message = '']) => wordKnown(message) ?? `Syntax error: ${quoted(message)}.`,
  ],
  [
    /^(?:Uncaught )?Script error\.?$/,
    () => 'A cross-origin script failed. The browser doesn’t report where.',
  ],
];

/** Explains an error: "TypeError: x is not a function" and the source around it → message and suggestion. */
export function wordThrown(message: string, around: Around): Said {
  for (const [pattern, explain] of rules) {
    const found = pattern.exec(message);
    if (!found) continue;
    const explanation = explain(found, around);
    return typeof explanation === 'string' ? { sentence: explanation } : explanation;
  }
  return { sentence: describeUnknown(message) };
}

/** Message for an error that no rule matches: "Error: No birds" → "No birds", "“boom”" → "“boom” was thrown." */
function describeUnknown(thrown: string): string {
  const [, name = '', message = ''] = /^([\p{L}_$][\w$.]*): ?([\s\S]*)$/u.exec(thrown) ?? [];
  if (name === '') return `${thrown === '' ? 'An empty value' : thrown} was thrown.`;
  if (message === '') return `“${name}” was thrown without a message.`;
  return name === 'Error' ? message : thrown;
}
