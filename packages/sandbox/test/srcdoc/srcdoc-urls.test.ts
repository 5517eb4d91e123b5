import { expect, it } from 'vitest';
import { resolveProjectPath } from '../../src/frame/srcdoc/srcdoc-urls.ts';

it('resolves a URL to a file, even with a stray %', () => {
  const from = 'pages/a.html';
  expect(resolveProjectPath('../data%20x.json?y', from)).toBe('data x.json');
  expect(resolveProjectPath('half 50%.json', from)).toBe('pages/half%2050%.json');
  expect(resolveProjectPath('https://example.com/a', from)).toBeUndefined();
});
