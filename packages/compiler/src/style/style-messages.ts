/** Translations of error messages of Sass, Less, Tailwind and PostCSS. */
import { formatStyleMessage } from './style-error.ts';

type Translation = readonly [
  pattern: RegExp,
  translate: (found: RegExpExecArray, token: string) => string | undefined,
];

const translations: readonly Translation[] = [
  [/^Undefined variable/, (_, token) => `Variable “${token}” isn’t defined.`],
  [/^variable (\S+) is undefined/i, ([, name]) => `Variable “${name}” isn’t defined.`],
  [/^Undefined mixin/, (_, token) => `Mixin “${nameIn(token)}” isn’t defined.`],
  [/^(\S+) is undefined/, ([, name]) => `Mixin “${name}” isn’t defined.`],
  [/^Undefined function/, (_, token) => `Function “${nameIn(token)}” isn’t defined.`],
  [
    /^There is no module with (?:the )?namespace "(.+)"/,
    ([, name = '']) =>
      sassModules.includes(name)
        ? `Module “${name}” isn’t loaded. Add @use "sass:${name}"; at the top of the file.`
        : `No module is loaded as “${name}”. Load it with “@use” at the top of the file.`,
  ],
  [
    /^The target selector was not found/,
    (_, token) => `Can’t find “${nameIn(token)}”, the target of “@extend”.`,
  ],
  [/^expected end of rule|^expected "\}"/i, (_, token) => describeUnexpectedEnd(token)],
  [/^unmatched "\}"/i, () => '“}” has no matching “{”.'],
  [/^expected "(.+)"/i, ([, mark]) => `Expected “${mark}”.`],
  [/^expected newline/i, () => 'Expected a line break.'],
  [/^missing argument (\$\S+?)\.?$/i, ([, name]) => `Missing value for “${name}”.`],
  [/^unrecognised input.*missing opening/i, () => '“}” has no matching “{”.'],
  [/^(?:unclosed block|missing closing \})/i, () => 'Missing “}” at the end of this block.'],
  [/^(?:unexpected \}|missing opening \{)/i, () => '“}” has no matching “{”.'],
  [/^unclosed string/i, () => 'Unterminated string: missing closing quote.'],
  [/^unclosed comment/i, () => 'Unterminated comment: missing “*/”.'],
  [/^unknown word/i, () => 'Expected a rule or a property with a value.'],
  [/^unrecognised input/i, () => 'Invalid syntax. There may be a “}”, a “;” or a quote missing.'],
  [
    /^error evaluating function `(.+?)`: (.+)/i,
    ([, name, why = '']) => `“${name}” failed: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`,
  ],
  [
    /^Cannot apply unknown utility class [`“].+[`”]\. Are you using CSS modules/,
    () => '“@apply” needs Tailwind’s classes here: add @reference "tailwindcss" at the top.',
  ],
  [
    /^Cannot apply unknown utility class [`“](.+)[`”]/,
    ([, name]) => `Tailwind has no utility class “${name}”.`,
  ],
  [/^Invalid custom property, expected a value/, () => 'Missing value: --name: value;'],
];

const sassModules = ['color', 'list', 'map', 'math', 'meta', 'selector', 'string'];

/** Translates a message. `token` is the source text it is about; '' if unknown. */
export function translateStyleMessage(message: string, token = ''): string {
  const [first = ''] = message.trim().split('\n');
  for (const [pattern, translate] of translations) {
    const found = pattern.exec(first);
    const translated = found && translate(found, token.trim());
    if (translated) return translated;
  }
  return formatStyleMessage(message);
}

function describeUnexpectedEnd(token: string): string | undefined {
  return token === '' ? 'Unexpected end of code: expected “}”.' : undefined;
}

/** "@include box($a)" → "box"; "math.div(1, 2)" → "math.div"; "@extend .a" → ".a" */
function nameIn(token: string): string {
  return token.replace(/^@[\w-]+\s+/, '').replace(/[\s(;{].*$/s, '');
}
