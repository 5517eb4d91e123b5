/** Messages for errors of the language itself: recursion, ranges, dates, JSON, regular expressions. */
import type { ErrorRule } from './error-messages.ts';

const bigIntMix = 'Can’t mix BigInt and number. Convert one of them with Number() or BigInt().';

export const languageErrorRules: readonly ErrorRule[] = [
  [
    /^(?:RangeError: Maximum call stack size exceeded|InternalError: too much recursion)/,
    () => 'Maximum call stack size exceeded: a function keeps calling itself.',
  ],
  [
    /^RangeError: This ran for a second without a pause/,
    () =>
      'Possible infinite loop: stopped after running for 1 second without a pause. To allow it, add // vitrine: no-guard to this file.',
  ],
  [
    /^RangeError: (?:[Ii]nvalid (?:typed )?array(?: buffer)? length|Array buffer allocation failed)/,
    () => 'Invalid array length.',
  ],
  [/^RangeError: (?:Invalid time value|invalid date)/, () => 'Invalid date.'],
  [
    /^RangeError: (?:toFixed\(\)|toPrecision\(\)|toExponential\(\)|toString\(\)|precision|radix)/,
    () => 'The number of digits or the radix is out of range.',
  ],
  [
    /^RangeError: (?:Invalid count value|repeat count must be non-negative)/,
    () => 'A string can’t be repeated a negative or infinite number of times.',
  ],
  [
    /^(?:RangeError: (?:Invalid string length|repeat count must be less)|InternalError: allocation size overflow)/,
    () => 'The string exceeds the browser’s maximum length.',
  ],
  [
    /^RangeError: [Ii]nvalid language tag: "?([^"]*)"?$/,
    ([, tag]) => `“${tag}” isn’t a valid language tag. Use one like “en” or “pt-BR”.`,
  ],
  [
    /^TypeError: (?:Currency code is required|undefined currency in NumberFormat)/,
    () => 'The currency style needs a currency code: { style: "currency", currency: "EUR" }.',
  ],
  [
    /^SyntaxError: (?:Unexpected (?:token|end|non-whitespace|string)[\s\S]* JSON|JSON\.parse: |Unexpected end of JSON|"undefined" is not valid JSON|Expected [\s\S]* in JSON|Bad [\s\S]* in JSON|Unterminated [\s\S]* in JSON)/,
    ({ input }) => explainJson(input),
  ],
  [
    /^TypeError: (?:Converting circular structure to JSON|cyclic object value)/,
    () => 'Can’t convert a circular structure to JSON.',
  ],
  [
    /^(?:RangeError: .* converted to (?:a )?BigInt because|SyntaxError: (?:Cannot convert .* to a BigInt|invalid BigInt syntax))/,
    () => 'Only an integer can be converted to a BigInt.',
  ],
  [
    /^TypeError: (?:Cannot mix BigInt|can't convert BigInt|Cannot convert a BigInt value)/,
    () => bigIntMix,
  ],
  [
    /^TypeError: (?:Cannot convert a Symbol value|can't convert symbol) to a? ?(string|number)/,
    ([, kind]) =>
      kind === 'number'
        ? 'Can’t convert a symbol to a number.'
        : 'Can’t convert a symbol to a string implicitly. Use String(symbol).',
  ],
  [/^URIError: /, () => 'Malformed URI: it contains a stray “%” or half of a surrogate pair.'],
  [
    /^SyntaxError: (?:Invalid flags supplied to RegExp constructor '(.*)'|invalid regular expression flag (.*))/,
    ([, a, b]) => `Invalid regular expression flag “${a ?? b}”.`,
  ],
  [
    /^SyntaxError: (unterminated parenthetical|unterminated character class|nothing to repeat|unmatched \) in regular expression|invalid (?:regexp group|(?:\S+ )+in regular expression)|numbers out of order in \{\} quantifier)/,
    ([, why]) => `Invalid regular expression: ${why}.`,
  ],
];

/** Explains a JSON error. Firefox doesn't quote the text; an error at the first character mostly means that it isn't JSON at all. */
function explainJson(words: string): string {
  const start = /"((?:[^"\\]|\\.)*)"(?:\.\.\.)? is not valid JSON$/.exec(words)?.[1] ?? '';
  if (/^\s*<|^<!doctype/i.test(start) || /Unexpected token '?</.test(words))
    return 'Expected JSON but got HTML. Check that the URL returns JSON.';
  if (/end of (?:JSON|data)|Unexpected end|[Uu]nterminated string/.test(words))
    return 'Unexpected end of JSON.';
  if (/"?undefined"? is not valid JSON/.test(words)) return '“undefined” isn’t valid JSON.';
  if (/unexpected character at line 1 column 1 /.test(words))
    return 'Invalid JSON, starting at the first character. It may be HTML or “undefined”.';
  return 'Invalid JSON. Keys and strings need double quotes, and trailing commas aren’t allowed.';
}
