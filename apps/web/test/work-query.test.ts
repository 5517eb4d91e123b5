import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibilities } from '@vitrine/project';
import {
  findWorkView,
  formatWorkUrl,
  parseWorkQuery,
  workSorts,
  workTabs,
} from '../app/projects/work-query.ts';

const parse = (url: string) => parseWorkQuery(new URL(url, 'http://localhost').search);

test('a query survives its URL', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .filter((value) => value.isWellFormed())
    .map((value) => value.trim());
  const query = fc.record({
    tab: fc.constantFrom(...workTabs),
    text,
    visibility: fc.constantFrom(null, ...visibilities),
    tag: fc.constantFrom(null, 'game', 'c++', 'c#', 'a.b'),
    sort: fc.constantFrom(...workSorts),
    page: fc.option(fc.record({ cursor: text, isBackward: fc.boolean() })),
  });
  fc.assert(
    fc.property(query, (value) => {
      expect(parse(formatWorkUrl(value))).toEqual(value);
    }),
  );
  expect(formatWorkUrl({})).toBe('/work');
});

test('anything unknown in a URL counts as missing', () => {
  const plain = parse('/work');
  for (const search of ['show=all', 'visibility=secret', 'tag=A%20b', 'sort=size', 'page=2'])
    expect(parse(`/work?${search}`)).toEqual(plain);
  expect(parse(`/work?q=${'x'.repeat(5_000)}`).text).toHaveLength(200);
});

test('the view is that of the URL, else that of the cookie', () => {
  const find = (search: string, cookie = '') =>
    findWorkView(new Request(`http://localhost/work${search}`, { headers: { cookie } }));
  expect(find('')).toEqual({ view: 'grid' });
  expect(find('', 'a=b; work-view=list')).toEqual({ view: 'list' });
  expect(find('?view=grid', 'work-view=list')).toMatchObject({ view: 'grid' });
  expect(find('?view=list').cookie).toMatch(/^work-view=list; Path=\/; /);
  expect(find('?view=wide')).toEqual({ view: 'grid' });
});
