import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  savesAfterSignIn,
  parseNextPath,
  getNextPath,
  withNextPath,
} from '../app/session/next-path.ts';

describe('the redirect after sign-in', () => {
  test.each(['/', '/work', '/@ann/abcdefghij?tab=console#L3', '/new/html', '/auth/reset'])(
    'leads to %s on our own origin',
    (path) => expect(parseNextPath(path)).toBe(path),
  );

  // Decoded query parameters.
  test.each([
    null,
    '',
    'work',
    'https://evil.test',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\/evil.test',
    'https:/\\evil.test',
    'https:evil.test',
    'https://app.test.evil.test',
    'https://app.test@evil.test',
    '\thttps://2130706433/',
    '/\t/evil.test',
    '/\n/evil.test',
    ' //evil.test',
    'https://2130706433/',
    'https://[::ffff:7f00:1]/',
    'https://app.test:8443',
    'javascript:1',
    'JaVaScRiPt:alert(1)//',
    '\r\nSet-Cookie:x',
    '/\r\nSet-Cookie:x',
    'https://аpp.test',
    '/.//evil.test',
    '/..//evil.test',
    '/work/..//evil.test',
    '/%2e//evil.test',
  ])('AU-01, WB-11: leads to the home page instead of %j', (next) =>
    expect(parseNextPath(next)).toBe('/'),
  );

  test('stays on our origin for any input', () => {
    const origin = 'https://app.test';
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      ':',
      '@',
      '%2f',
      '%5c',
      '\t',
      '?',
      '#',
      'evil.test',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 8 }), (pieces) => {
        const next = parseNextPath(pieces.join(''));
        expect(new URL(next, origin).origin).toBe(origin);
      }),
    );
  });

  test('survives encoding and decoding', () => {
    const path = '/@ann/abcdefghij?a=b&next=//evil.test#end';
    expect(getNextPath(new URL(withNextPath('/auth/sign-in', path), 'https://app.test'))).toBe(
      path,
    );
    expect(withNextPath('/auth/sign-in', '/')).toBe('/auth/sign-in');
  });
});

test('detects a draft to save by its URL', () => {
  expect(savesAfterSignIn('/draft/abc?save=private')).toBe(true);
  expect(savesAfterSignIn('/draft/abc')).toBe(false);
  expect(savesAfterSignIn('/')).toBe(false);
});
