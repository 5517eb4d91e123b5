import { describe, expect, test } from 'vitest';
import { checkIsolation } from '../server/isolation.ts';

const origin = 'http://vitrine.localhost:4000';
const sibling = 'http://abcdefghij.vitrine.localhost:4000';

function judge(method: string, headers: Record<string, string>) {
  return checkIsolation(new Request(`${origin}/work`, { method, headers }), origin);
}

describe('AU-20: a state-changing request', () => {
  test('is accepted from the app’s own page', () => {
    expect(judge('POST', { origin, 'sec-fetch-site': 'same-origin' })).toBe('allow');
    expect(judge('POST', { origin })).toBe('allow');
  });

  test.each([
    ['a preview', { origin: sibling, 'sec-fetch-site': 'same-site' }],
    ['another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a forged Origin of a sibling', { origin, 'sec-fetch-site': 'same-site' }],
    ['nobody who says so', {}],
    ['a typed address', { 'sec-fetch-site': 'none' }],
    ['another port', { origin: 'http://vitrine.localhost:4001' }],
  ])('is rejected from %s', (_, headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(judge(method, headers)).toBe('refuse');
  });
});

describe('a read request', () => {
  test.each([
    ['a page of ours', { 'sec-fetch-site': 'same-origin' }, 'allow'],
    ['a typed address', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 'allow'],
    [
      'a link on another site',
      {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
      },
      'allow',
    ],
    [
      'a frame on another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      'refuse',
    ],
    ['a preview’s fetch', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, 'refuse'],
    ['a preview’s image', { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'image' }, 'refuse'],
    ['an old browser’s page', { accept: 'text/html,*/*' }, 'allow'],
    ['an old browser’s page of ours', { referer: `${origin}/work` }, 'allow'],
    [
      'an old browser’s image on another site',
      { accept: 'image/*', referer: 'http://evil.test/' },
      'anonymous',
    ],
    ['curl', {}, 'anonymous'],
  ])('from %s gets the right verdict', (_, headers, verdict) => {
    expect(judge('GET', headers)).toBe(verdict);
    expect(judge('HEAD', headers)).toBe(verdict);
  });
});
