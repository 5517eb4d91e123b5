import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
}, 60_000);
afterAll(() => library.close());

const call = async (name: string, args?: object, as = 'visitor') =>
  await library.as(as).rpc(name, args);

const all = async (as: string) => {
  const { data } = await call('books_after', { page_count: 0 }, as);
  return Array.isArray(data) ? data.length : undefined;
};

describe('a function that returns', () => {
  test('a value responds with JSON', async () => {
    expect(await call('add', { a: 1, b: 2 })).toMatchObject({ data: 3, status: 200 });
    expect(await call('add', { a: 1 })).toMatchObject({ data: 11 });
    expect(await call('echo', { value: { deep: [1, null] } })).toMatchObject({
      data: { deep: [1, null] },
    });
    expect(await call('echo', { value: null })).toMatchObject({ data: null, error: null });
    expect(await call('join_words', { words: ['a', 'b'] })).toMatchObject({ data: 'a b' });
  });
  test('nothing responds with 204', async () => {
    expect(await call('nothing')).toMatchObject({ data: null, error: null, status: 204 });
  });
  test('one row responds with an object', async () => {
    expect(await call('one_book', { wanted: 2 })).toMatchObject({ data: { title: 'Stars' } });
  });
  test('rows supports filters, order, limit, count and embedding', async () => {
    const { data, count } = await library
      .as('visitor')
      .rpc('books_after', { page_count: 50 }, { count: 'exact' })
      .select('id,tags(label)')
      .lt('pages', 300)
      .order('id', { ascending: false })
      .limit(1);
    expect({ data, count }).toEqual({ data: [{ id: 2, tags: [{ label: 'stars' }] }], count: 2 });
    const pairs = library.as('visitor').rpc('pairs', { last: 4 }).select('square').gt('n', 2);
    expect((await pairs).data).toEqual([{ square: 9 }, { square: 16 }]);
  });
  test('several values responds with a list', async () => {
    expect(await call('numbers', { last: 3 })).toMatchObject({ data: [1, 2, 3] });
  });
  test('rows that one user may see returns fewer to another', async () => {
    expect([await all('alice'), await all('bob')]).toEqual([4, 3]);
  });
});

describe('a call by GET', () => {
  test('takes arguments by name and treats other parameters as filters', async () => {
    const response = await library.request('rpc/pairs?last=4&n=gte.3&select=n');
    expect(await response.json()).toEqual([{ n: 3 }, { n: 4 }]);
    expect(await (await library.request('rpc/add?a=2&b=3')).text()).toBe('5');
    expect(await (await library.request('rpc/echo?value=%7B%22a%22%3A1%7D')).text()).toBe(
      '{"a": 1}',
    );
  });
  test('cannot write', async () => {
    const response = await library.request('rpc/rename_tag?tag=1&label=x', { as: 'alice' });
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ code: '25006' });
    const { data } = await library.as('alice').rpc('rename_tag', { tag: 1, label: 'sea' });
    expect(data).toBe(1);
  });
  test('responds to HEAD without a body', async () => {
    const { count, status } = await library
      .as('visitor')
      .rpc('pairs', { last: 7 }, { head: true, count: 'exact' });
    expect([count, status]).toEqual([7, 200]);
  });
});

describe('choosing a function', () => {
  test('reports unknown functions and arguments as PostgREST does', async () => {
    for (const [name, args] of [
      ['no_such', {}],
      ['add', { a: 1, c: 2 }],
      ['add', {}],
      ['refuse', undefined],
    ] as const) {
      const { error, status } = await library.as('visitor').rpc(name, args);
      expect([status, error?.code]).toEqual([404, 'PGRST202']);
    }
  });
  test('rejects ambiguous overloads', async () => {
    const { error, status } = await library.as('visitor').rpc('twice', { a: 1 });
    expect([status, error?.code]).toEqual([300, 'PGRST203']);
  });
  test('passes the whole body to a single unnamed argument', async () => {
    const { data } = await library.as('visitor').rpc('whole', { any: ['thing'] });
    expect(data).toEqual({ any: ['thing'] });
  });
  test('excludes triggers and functions of extensions', async () => {
    const { error } = await library.as('alice').rpc('citext_hash', {});
    expect(error?.code).toBe('PGRST202');
  });
});

test('lets a function read the caller, the method and the path', async () => {
  const { data } = await library.as('alice').rpc('whoami');
  expect(data).toMatchObject({
    role: 'authenticated',
    sub: alice,
    method: 'POST',
    path: '/rpc/whoami',
  });
});

const raise = async (code: string) => await library.as('alice').rpc('refuse', { code });

describe('an error raised by a function', () => {
  test('keeps its message; PTxyz sets the status', async () => {
    const { error, status } = await raise('PT409');
    expect(status).toBe(409);
    expect(error).toMatchObject({
      code: 'PT409',
      message: 'version_conflict',
      details: 'the detail',
      hint: 'the hint',
    });
    expect((await raise('P0001')).status).toBe(400);
    expect((await raise('PT422')).status).toBe(422);
    expect((await raise('42501')).status).toBe(403);
    expect((await raise('23505')).status).toBe(409);
    expect((await raise('45000')).status).toBe(400);
  });
  test('loses its message when it is a server error', async () => {
    const { error, status } = await raise('XX000');
    expect(status).toBe(500);
    expect(error).toMatchObject({
      code: 'XX000',
      message: 'The database reported an error',
      details: null,
    });
  });
  test('is reported once, not retried outside the transaction', async () => {
    const { error } = await library.as('service').rpc('assign_wrongly');
    expect(error?.code).toBe('42804');
    const again = await library.as('service').rpc('assign_wrongly');
    expect(again.error?.code).toBe('42804');
  });
});

test('cancels a statement that takes too long, by role', async () => {
  const started = performance.now();
  const { error, status } = await library.as('visitor').rpc('sleep_for', { seconds: 30 });
  expect([status, error?.code]).toEqual([504, '57014']);
  expect(performance.now() - started).toBeLessThan(15_000);
}, 30_000);
