import { describe, expect, it } from 'vitest';
import { fromRoman, toRoman } from './roman';

describe('toRoman', () => {
  it.each([
    [1, 'I'],
    [3, 'III'],
    [8, 'VIII'],
    [60, 'LX'],
    [1666, 'MDCLXVI'],
  ])('adds letters up: %i is %s', (year, roman) => {
    expect(toRoman(year)).toBe(roman);
  });

  it.each([
    [4, 'IV'],
    [9, 'IX'],
    [49, 'XLIX'],
    [1984, 'MCMLXXXIV'],
  ])('takes a smaller letter from a larger one: %i is %s', (year, roman) => {
    expect(toRoman(year)).toBe(roman);
  });

  it('has no letters for nothing, nor for four thousand', () => {
    expect(() => toRoman(0)).toThrow('There are no Roman numerals for 0.');
    expect(() => toRoman(4000)).toThrow(RangeError);
    expect(() => toRoman(1.5)).toThrow(RangeError);
  });
});

describe('fromRoman', () => {
  it('reads whatever toRoman writes', () => {
    for (let year = 1; year < 4000; year += 1) expect(fromRoman(toRoman(year))).toBe(year);
  });

  it.each(['IIII', 'IC', 'VX', '', 'ABC'])('refuses “%s”', (roman) => {
    expect(() => fromRoman(roman)).toThrow(SyntaxError);
  });
});

it('writes the year of the last test as one would expect', () => {
  expect(toRoman(2026)).toMatchInlineSnapshot(`"MMXXVI"`);
});
