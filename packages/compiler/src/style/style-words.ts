/** What Sass, Less, Tailwind and PostCSS say of a stylesheet, in plain words. */
import { sentenceOf } from './style-mistake.ts';

type Rule = readonly [
  pattern: RegExp,
  say: (found: RegExpExecArray, token: string) => string | undefined,
];

const rules: readonly Rule[] = [
  [/^Undefined variable/, (_, token) => `The variable “${token}” is not defined.`],
  [/^variable (\S+) is undefined/i, ([, name]) => `The variable “${name}” is not defined.`],
  [/^Undefined mixin/, (_, token) => `There is no mixin “${nameIn(token)}”.`],
  [/^(\S+) is undefined/, ([, name]) => `There is no mixin “${name}”.`],
  [/^Undefined function/, (_, token) => `There is no function “${nameIn(token)}”.`],
  [
    /^There is no module with (?:the )?namespace "(.+)"/,
    ([, name = '']) =>
      sassModules.includes(name)
        ? `“${name}” is not loaded here: write @use "sass:${name}"; at the top.`
        : `Nothing is loaded as “${name}” here: “@use” at the top does that.`,
  ],
  [
    /^The target selector was not found/,
    (_, token) => `There is no “${nameIn(token)}” that “@extend” could take over.`,
  ],
  [/^expected end of rule|^expected "\}"/i, (_, token) => wordEnd(token)],
  [/^unmatched "\}"/i, () => '“}” closes nothing: there is no “{” for it.'],
  [/^expected "(.+)"/i, ([, mark]) => `“${mark}” is expected here.`],
  [/^expected newline/i, () => 'Nothing more is expected in this line.'],
  [/^missing argument (\$\S+?)\.?$/i, ([, name]) => `A value for “${name}” is missing.`],
  [/^unrecognised input.*missing opening/i, () => '“}” closes nothing: there is no “{” for it.'],
  [/^(?:unclosed block|missing closing \})/i, () => 'A “}” is missing at the end of this block.'],
  [/^(?:unexpected \}|missing opening \{)/i, () => '“}” closes nothing: there is no “{” for it.'],
  [/^unclosed string/i, () => 'This text in quotes has no quote at its end.'],
  [/^unclosed comment/i, () => 'This comment has no “*/” at its end.'],
  [/^unknown word/i, () => 'This is neither a rule nor a property with its value.'],
  [
    /^unrecognised input/i,
    () => 'This cannot be read. Perhaps a “}”, a “;” or a quote is missing.',
  ],
  [
    /^error evaluating function `(.+?)`: (.+)/i,
    ([, name, why = '']) =>
      `“${name}” has no answer: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`,
  ],
  [
    /^Cannot apply unknown utility class [`“](.+)[`”]/,
    ([, name]) => `Tailwind has no class “${name}”.`,
  ],
  [/^Invalid custom property, expected a value/, () => 'A value is missing: --name: value;'],
];

const sassModules = ['color', 'list', 'map', 'math', 'meta', 'selector', 'string'];

/** `token` is what the message is about, as it is written; '' where that is not known. */
export function wordStyle(message: string, token = ''): string {
  const [first = ''] = message.trim().split('\n');
  for (const [pattern, say] of rules) {
    const found = pattern.exec(first);
    const said = found && say(found, token.trim());
    if (said) return said;
  }
  return sentenceOf(message);
}

function wordEnd(token: string): string | undefined {
  return token === '' ? 'The code ends, but a “}” is still to come.' : undefined;
}

/** "@include box($a)" → "box"; "math.div(1, 2)" → "math.div"; "@extend .a" → ".a" */
function nameIn(token: string): string {
  return token.replace(/^@[\w-]+\s+/, '').replace(/[\s(;{].*$/s, '');
}
