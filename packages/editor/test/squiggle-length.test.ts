import { describe, expect, it } from 'vitest';
import { squiggleLength } from '../src/squiggle-length.ts';

/** The text covered by a squiggle that starts at `|`. */
function marked(shown: string): string {
  const from = shown.indexOf('|');
  const line = shown.replace('|', '');
  return line.slice(from, from + squiggleLength(line, from));
}

describe('the squiggle of a diagnostic without an end', () => {
  it.each([
    ["import c from '|canvas-confetti';", 'canvas-confetti'],
    ["import { x } from '|./scrpt2.js';", './scrpt2.js'],
    ['<img src="|no such.png" alt="">', 'no such.png'],
    ['a { background: url(|nope.png); }', 'nope.png'],
    ['a { background: url("|nope.png"); }', 'nope.png'],
    ['call(|missing);', 'missing'],
    ["'text'|.length()", '.'],
    ["say('it|", ''],
    ["say('|it", 'it'],
    ['one |= 2', '='],
    ['import |./x', './x'],
  ])('covers the right text: %s', (shown, covered) => expect(marked(shown)).toBe(covered));

  it('looks only at nearby text', () => {
    const text = 'x'.repeat(5_000);
    expect(squiggleLength(`'${text}'`, 1)).toBe(1_000);
  });
});
