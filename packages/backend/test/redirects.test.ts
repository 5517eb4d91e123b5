import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedirects } from '../src/auth/redirects.ts';

const app = 'https://app.test';
const redirects = createRedirects(app, ['http://localhost:4000']);

test.each([
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  'https:/\\evil.test',
  'https:evil.test',
  'https://app.test.evil.test',
  'https://app.test@evil.test',
  'https://app.test:x@evil.test/',
  'https://app.test\\@evil.test',
  '\thttps://2130706433/',
  'https://2130706433/',
  'https://[::ffff:7f00:1]/',
  'https://app.test:8443',
  'http://app.test/',
  'https://app.test%2f@evil.test',
  'javascript:1',
  'data:text/html,x',
  '\r\nSet-Cookie:x',
  'https://app.test/\r\nSet-Cookie:x',
  'https://аpp.test/',
  'https://app.test。evil.test/',
  ' https://app.test/',
  'HTTPS://app.test/',
  `https://app.test/${'x'.repeat(3000)}`,
])('AU-01 does not redirect to %j', (wished) => {
  expect(redirects.choose(wished).href).toBe('https://app.test/');
});

test.each([
  ['https://app.test', 'https://app.test/'],
  ['https://app.test/auth/callback?next=%2Fwork', 'https://app.test/auth/callback?next=%2Fwork'],
  ['https://app.test?x=1#hash', 'https://app.test/?x=1'],
  ['http://localhost:4000/x', 'http://localhost:4000/x'],
])('AU-01 redirects to %s', (wished, chosen) => {
  expect(redirects.choose(wished).href).toBe(chosen);
});

test('AU-01 redirects to an allowed origin for any input', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'https:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      'app.test',
      'evil.test',
      '.',
      '#',
      '?',
      '%',
      '\t',
      '[',
      ']',
    ),
    fc.string({ maxLength: 5 }),
  );
  const wished = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.oneof(
        wished,
        wished.map((tail) => app + tail),
      ),
      (text) => {
        expect([app, 'http://localhost:4000']).toContain(redirects.choose(text).origin);
      },
    ),
    { numRuns: 2000 },
  );
});

test('rejects an allow-list with anything but origins', () => {
  expect(() => createRedirects(app, ['https://app.test/path'])).toThrow('isn’t an origin');
});
