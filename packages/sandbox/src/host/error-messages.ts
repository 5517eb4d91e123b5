/**
 * Turns the message of an uncaught error into plain English. Each rule matches the wording of Chromium and
 * Firefox (collected from Chromium 156 and Firefox ESR 153). A message that no rule matches is shown as the
 * browser wrote it.
 */
import { formatParserMessage, translateParserMessage } from '@vitrine/compiler';
import { languageErrorRules } from './language-error-messages.ts';
import { webApiErrorRules } from './web-api-error-messages.ts';
import type { ErrorContext } from './error-context.ts';
import { valueErrorRules } from './value-error-messages.ts';

export interface ErrorExplanation {
  sentence: string;
  /** Suggested replacement for the text at the error's location, or at a column of its line. */
  suggestion?: { name: string; by: string; column?: number };
}

/** The first rule whose pattern matches explains the error. */
export type ErrorRule = readonly [
  pattern: RegExp,
  explain: (found: RegExpExecArray, around: ErrorContext) => string | ErrorExplanation,
];

const rules: readonly ErrorRule[] = [
  ...valueErrorRules,
  ...languageErrorRules,
  ...webApiErrorRules,
  [
    /^SyntaxError: ([\s\S]+)$/,
    ([, message = '']) =>
      translateParserMessage(message) ?? `Syntax error: ${formatParserMessage(message)}.`,
  ],
  [
    /^(?:Uncaught )?Script error\.?$/,
    () => 'A cross-origin script failed. The browser doesn’t report where.',
  ],
];

/** Explains an error: "TypeError: x is not a function" and the source around it → message and suggestion. */
export function explainError(message: string, around: ErrorContext): ErrorExplanation {
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
