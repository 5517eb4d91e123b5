/** Words for what the language itself refuses: endless calls, lengths, dates, JSON, patterns. */
import type { Rule } from './thrown-words.ts';

const noNumber =
  'A BigInt, such as 1n, and a number do not mix. Turn one into the other by Number() or BigInt().';

export const languageRules: readonly Rule[] = [
  [
    /^(?:RangeError: Maximum call stack size exceeded|InternalError: too much recursion)/,
    () => 'A function calls itself, or others that call it, without an end.',
  ],
  [
    /^RangeError: This ran for a second without a pause/,
    () =>
      'This ran for a second without a pause, and was stopped: it may never end. Where it is meant to, write // vitrine: no-guard in this file.',
  ],
  [
    /^RangeError: (?:[Ii]nvalid (?:typed )?array(?: buffer)? length|Array buffer allocation failed)/,
    () => 'An array cannot have this length.',
  ],
  [/^RangeError: (?:Invalid time value|invalid date)/, () => 'There is no such date.'],
  [
    /^RangeError: (?:toFixed\(\)|toPrecision\(\)|toExponential\(\)|toString\(\)|precision|radix)/,
    () => 'The number of digits, or the base, is out of range.',
  ],
  [
    /^RangeError: (?:Invalid count value|repeat count must be non-negative)/,
    () => 'A text cannot be repeated a negative or endless number of times.',
  ],
  [
    /^(?:RangeError: (?:Invalid string length|repeat count must be less)|InternalError: allocation size overflow)/,
    () => 'This text would be longer than a browser can hold.',
  ],
  [
    /^RangeError: [Ii]nvalid language tag: "?([^"]*)"?$/,
    ([, tag]) => `“${tag}” names no language: write it like “en” or “pt-BR”.`,
  ],
  [
    /^TypeError: (?:Currency code is required|undefined currency in NumberFormat)/,
    () => 'An amount of money needs its currency: { style: "currency", currency: "EUR" }.',
  ],
  [
    /^SyntaxError: (?:Unexpected (?:token|end|non-whitespace|string)[\s\S]* JSON|JSON\.parse: |Unexpected end of JSON|"undefined" is not valid JSON|Expected [\s\S]* in JSON|Bad [\s\S]* in JSON|Unterminated [\s\S]* in JSON)/,
    ({ input }) => wordJson(input),
  ],
  [
    /^TypeError: (?:Converting circular structure to JSON|cyclic object value)/,
    () => 'This object holds itself somewhere, so it cannot become JSON.',
  ],
  [
    /^(?:RangeError: .* converted to (?:a )?BigInt because|SyntaxError: (?:Cannot convert .* to a BigInt|invalid BigInt syntax))/,
    () => 'Only a whole number can become a BigInt.',
  ],
  [
    /^TypeError: (?:Cannot mix BigInt|can't convert BigInt|Cannot convert a BigInt value)/,
    () => noNumber,
  ],
  [
    /^TypeError: (?:Cannot convert a Symbol value|can't convert symbol) to a? ?(string|number)/,
    ([, kind]) =>
      kind === 'number'
        ? 'A symbol cannot become a number.'
        : 'A symbol does not become a text by itself: write String(symbol).',
  ],
  [
    /^URIError: /,
    () => 'This is no part of an address: a “%” in it stands alone, or half a character does.',
  ],
  [
    /^SyntaxError: (?:Invalid flags supplied to RegExp constructor '(.*)'|invalid regular expression flag (.*))/,
    ([, a, b]) => `A regular expression has no flag “${a ?? b}”.`,
  ],
  [
    /^SyntaxError: (unterminated parenthetical|unterminated character class|nothing to repeat|unmatched \) in regular expression|invalid (?:regexp group|(?:\S+ )+in regular expression)|numbers out of order in \{\} quantifier)/,
    ([, why]) => `This regular expression cannot be read: ${why}.`,
  ],
];

/** Firefox does not show the text: what is wrong at its first character is mostly no JSON at all. */
function wordJson(words: string): string {
  const start = /"((?:[^"\\]|\\.)*)"(?:\.\.\.)? is not valid JSON$/.exec(words)?.[1] ?? '';
  if (/^\s*<|^<!doctype/i.test(start) || /Unexpected token '?</.test(words))
    return 'This was to be JSON and is HTML: the address it came from has no JSON.';
  if (/end of (?:JSON|data)|Unexpected end|[Uu]nterminated string/.test(words))
    return 'This was to be JSON and ends too early.';
  if (/"?undefined"? is not valid JSON/.test(words)) return '“undefined” was to be read as JSON.';
  if (/unexpected character at line 1 column 1 /.test(words))
    return 'This was to be JSON and is something else from its first character on: perhaps HTML, or “undefined”.';
  return 'This was to be JSON and is not: names and texts need double quotes, and no comma stands before “}” or “]”.';
}
