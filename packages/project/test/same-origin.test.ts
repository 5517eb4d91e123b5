import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveSameOrigin } from '../src/index.ts';

const origin = 'https://app.test';

test('PT-07.5: a path is resolved against its origin', () => {
  expect(resolveSameOrigin('/work?tab=trash#top', origin)?.href).toBe(
    `${origin}/work?tab=trash#top`,
  );
  expect(resolveSameOrigin('/a/../b', origin)?.href).toBe(`${origin}/b`);
  expect(resolveSameOrigin('/?next=//evil.test', origin)?.href).toBe(`${origin}/?next=//evil.test`);
});

test.each([
  '',
  'work',
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '/.//evil.test',
  '/a/..//evil.test',
  'javascript:1',
  'https://evil.test/',
  'https://app.test/',
])('PT-07.5: %j is not resolved', (path) => {
  expect(resolveSameOrigin(path, origin)).toBeUndefined();
});

test('PT-07.5: a resolved path stays on its origin, as a URL and as a path in a link', () => {
  const part = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    '%2f',
    '%2e',
    '\t',
    '\n',
    '@',
    ':',
    '?',
    '#',
    'a',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const address = resolveSameOrigin(`/${parts.join('')}`, origin);
      if (!address) return;
      const { pathname, search, hash, href } = address;
      for (const link of [href, pathname + search + hash]) {
        expect(new URL(link, `${origin}/deep/page`).origin).toBe(origin);
      }
    }),
    { numRuns: 2_000 },
  );
});
