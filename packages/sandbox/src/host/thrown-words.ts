/**
 * What Chromium and Firefox say of an uncaught error, in plain words. Each rule knows the wording of
 * both (collected from Chromium 156 and Firefox ESR 153); what no rule knows is told in the browser's
 * own.
 */
import { quoted, wordKnown } from '@vitrine/compiler';
import { languageRules } from './thrown-language.ts';
import { pageRules } from './thrown-page.ts';
import type { Around } from './thrown-place.ts';
import { valueRules } from './thrown-values.ts';

export interface Said {
  sentence: string;
  /** What stands at the place, or at a column of its line, and what was meant. */
  meant?: { name: string; by: string; column?: number };
}

/** The first rule whose pattern fits says the sentence. */
export type Rule = readonly [
  pattern: RegExp,
  say: (found: RegExpExecArray, around: Around) => string | Said,
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

/** "TypeError: x is not a function" and where it happened → what to tell. */
export function wordThrown(words: string, around: Around): Said {
  for (const [pattern, say] of rules) {
    const found = pattern.exec(words);
    if (!found) continue;
    const said = say(found, around);
    return typeof said === 'string' ? { sentence: said } : said;
  }
  return { sentence: wordOwn(words) };
}

/** What no rule knows: "Error: No birds" → "No birds", "“boom”" → "“boom” was thrown." */
function wordOwn(words: string): string {
  const [, name = '', message = ''] = /^([\p{L}_$][\w$.]*): ?([\s\S]*)$/u.exec(words) ?? [];
  if (name === '') return `${words === '' ? 'Something that says nothing' : words} was thrown.`;
  if (message === '') return `“${name}” was thrown without a message.`;
  return name === 'Error' ? message : words;
}
