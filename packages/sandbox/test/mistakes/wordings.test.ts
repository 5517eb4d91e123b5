import { describe, expect, it } from 'vitest';
import { readErrorContext } from '../../src/host/error-context.ts';
import { explainError } from '../../src/host/error-messages.ts';
import { wordings } from './wordings.ts';

describe.each(['chromium', 'firefox'] as const)('the message of %s', (browser) => {
  it.each(wordings)('for $source is explained', ({ source, sentence, ...said }) => {
    const around = readErrorContext(source, { line: 1, column: 1 });
    expect(explainError(said[browser], around).sentence).toBe(sentence);
  });
});

it('shows a message that no rule matches unchanged', () => {
  const nowhere = readErrorContext('', { line: 0, column: 0 });
  const explain = (words: string) => explainError(words, nowhere).sentence;
  expect(explain('Error: No birds')).toBe('No birds');
  expect(explain('BirdError: None came')).toBe('BirdError: None came');
  expect(explain('Error: ')).toBe('“Error” was thrown without a message.');
  expect(explain('{"a":1}')).toBe('{"a":1} was thrown.');
  expect(explain('')).toBe('An empty value was thrown.');
});

describe('for a missing method', () => {
  const explainCall = (text: string, called: string) =>
    explainError(
      `TypeError: ${called} is not a function`,
      readErrorContext(text, { line: text.split('\n').length, column: 1 }),
    ).sentence;

  it.each([
    ['const a = [1];\na.foreach(f)', 'a.foreach', 'forEach'],
    ['const a: number[] = [1];\na.foreach(f)', 'a.foreach', 'forEach'],
    ['[1].pussh(2)', '[1].pussh', 'push'],
    [`'a'.toUppercase()`, `'a'.toUppercase`, 'toUpperCase'],
    ['Math.squrt(4)', 'Math.squrt', 'sqrt'],
    ['JSON.strinify(4)', 'JSON.strinify', 'stringify'],
    ['const m = new Map();\nm.gett(1)', 'm.gett', 'get'],
  ])('%j: suggests a similar name', (text, called, near) => {
    expect(explainCall(text, called)).toBe(
      `“${called}” is not a function. Did you mean “${near}”?`,
    );
  });

  it.each([
    ['an object of a type that is not known', 'f(o);\no.foreach()', 'o.foreach'],
    ['a variable with two values', 'let a = [1];\na = f();\na.foreach()', 'a.foreach'],
    [
      'a variable with the name of a global object',
      'const f = (Math) =>\nMath.squrt()',
      'Math.squrt',
    ],
    ['a class of the project', 'class A {}\nconst a = new A();\na.tset()', 'a.tset'],
    ['another object’s member', 'Math.foreach(1)', 'Math.foreach'],
  ])('suggests nothing for %s', (_what, text, called) => {
    expect(explainCall(text, called)).toBe(`“${called}” is not a function.`);
  });

  it.each([
    ['a string', `'a-b'.sort()`, `'a-b'.sort`, /^A string has no “sort”/],
    ['a Set', 'const s = new Set();\ns.map(f)', 's.map', /^A Set has no “map”\. Use Array\.from/],
    [
      'an HTMLCollection',
      'document.forms.map(f)',
      'document.forms.map',
      /^An HTMLCollection has no “map”\. Use Array\.from/,
    ],
    ['a promise', `fetch('a').json()`, `fetch('a').json`, /^A promise has no “json”/],
    ['an object', 'const o = { a: 1 };\no.map(f)', 'o.map', /^An object has no “map”/],
  ])('%s is distinguished from an array', (_what, text, called, sentence) => {
    expect(explainCall(text, called)).toMatch(sentence);
  });
});
