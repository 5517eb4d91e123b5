import { expect, test } from 'vitest';
import { curlCodeQuotes } from '../src/curl-code-quotes.ts';

test.for<readonly [message: string, quoted: string]>([
  ['`a` is "taken" by \'b\'', '“a” is “taken” by “b”'],
  ['`<p class="a">` was left open', '“<p class="a">” was left open'],
  ['Expected "<" or ">"', 'Expected “<” or “>”'],
  ["it's 'a' that isn't 'b'", "it's “a” that isn't “b”"],
  ["Don't use 'x'", "Don't use “x”"],
  ['class="a"b" is wrong', 'class="a"b" is wrong'],
  ['name "rounded"" is wrong', 'name "rounded"" is wrong'],
  ['the quote "<"b" is code', 'the quote "<"b" is code'],
  ['a "b', 'a "b'],
])('%s → %s', ([message, quoted]) => {
  expect(curlCodeQuotes(message)).toBe(quoted);
});
