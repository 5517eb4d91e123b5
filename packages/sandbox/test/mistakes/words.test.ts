import { describe, expect, it } from 'vitest';
import { aroundPlace } from '../../src/host/thrown-place.ts';
import { wordThrown } from '../../src/host/thrown-words.ts';
import { wordings } from './words.ts';

describe.each(['chromium', 'firefox'] as const)('what %s says', (browser) => {
  it.each(wordings)('of $source is told in plain words', ({ source, sentence, ...said }) => {
    const around = aroundPlace(source, { line: 1, column: 1 });
    expect(wordThrown(said[browser], around).sentence).toBe(sentence);
  });
});

it('tells what no rule knows in the words that it came with', () => {
  const nowhere = aroundPlace('', { line: 0, column: 0 });
  const tell = (words: string) => wordThrown(words, nowhere).sentence;
  expect(tell('Error: No birds')).toBe('No birds');
  expect(tell('BirdError: None came')).toBe('BirdError: None came');
  expect(tell('Error: ')).toBe('“Error” was thrown without a message.');
  expect(tell('{"a":1}')).toBe('{"a":1} was thrown.');
  expect(tell('')).toBe('Something that says nothing was thrown.');
});
