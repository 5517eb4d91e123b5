import { expect, it } from 'vitest';
import { findPath } from '../src/frame/portable-address.ts';

it('resolves a URL to a file, even with a stray %', () => {
  const from = 'pages/a.html';
  expect(findPath('../data%20x.json?y', from)).toBe('data x.json');
  expect(findPath('half 50%.json', from)).toBe('pages/half%2050%.json');
  expect(findPath('https://example.com/a', from)).toBeUndefined();
});
