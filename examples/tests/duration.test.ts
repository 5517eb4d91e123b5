import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration';

describe('formatDuration', () => {
  it('splits seconds into units', () => {
    expect(formatDuration(5025)).toBe('1 h 23 min 45 s');
  });

  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3600, '1 h'],
    [3601, '1 h 1 s'],
  ])('leaves out units that are zero: %i is %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it('rounds to whole seconds', () => {
    expect(formatDuration(59.6)).toBe('1 min');
  });

  it('refuses what is no duration', () => {
    expect(() => formatDuration(-1)).toThrow(RangeError);
    expect(() => formatDuration(Number.NaN)).toThrow('Not a duration');
  });
});
