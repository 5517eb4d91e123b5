import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
}, 60_000);
afterAll(() => library.close());

type Ask = Parameters<Library['request']>[1];

async function refusal(path: string, init?: Ask): Promise<[number, string]> {
  const response = await library.request(path, init);
  const body = (await response.json()) as Record<string, unknown>;
  expect(Object.keys(body).sort()).toEqual(['code', 'details', 'hint', 'message']);
  return [response.status, String(body['code'])];
}

function times(count: number, text: string, joint: string): string {
  return Array.from({ length: count }, () => text).join(joint);
}

describe('rejects an invalid URL', () => {
  test.each([
    'books?title=match.(.*)(.*)(.*)(.*)\\1\\2\\3\\4x', // DB-21
    'books?title=imatch.((a{1,99}){1,99}){1,99}', // DB-21
    `books?title=match(any).{${'x'.repeat(101)}}`, // DB-21
    'books?or=(title.match.(a)\\1)',
    'books?id=equals.1',
    'books?id=1',
    'books?id=eq',
    'books?id=eq(some).{1}',
    'books?id=neq(any).{1}',
    'books?id=constructor.1',
    'books?id=is.maybe',
    'books?id=in.1,2',
    'books?id=in.(1,2',
    'books?id=in.(1)2',
    'books?or=(id.gt.0', // DB-20
    'books?or=id.gt.0',
    'books?or=()',
    'books?or=(id.gt.0)x',
    'books?order=title;drop table books', // DB-20
    'books?order=title.up',
    'books?order=',
    'books?order=id&order=title',
    'books?limit=-1',
    'books?limit=ten',
    'books?limit=1&limit=2',
    'books?offset=1.5',
    'books?select=id&select=title',
    'books?select=id,,title',
    'books?select=id::regclass',
    'books?select=id::text::int',
    'books?select=a:...tags(label)',
    'books?select=pages.median()',
    'books?select=pages.sum',
    'books?select=data->>a->b',
    'books?select=tags(id',
    'books?select=tags(id))',
    'books?select=tags!a!b(id)',
    'books?select="id',
    `books?select=${'x'.repeat(64)}:id`,
    'books?select=a:b:c',
    'books?columns=id',
    'books?on_conflict=id',
    `books?or=${'(or'.repeat(20)}(id.eq.1)${')'.repeat(20)}`,
    `books?select=${Array.from({ length: 30 }, (_, n) => `t${n}:tags(id)`).join(',')}`,
    `books?select=${'id,'.repeat(500)}id`,
  ])('%s', async (path) => {
    expect(await refusal(path)).toEqual([400, 'PGRST100']);
  });
  test.each([
    ['books?select=pages.sum()', 'PGRST123'],
    ['books?select=id,count()', 'PGRST123'],
    ['books?select=tags(id.max())', 'PGRST123'],
    ['books?select=count()&order=id', '42803'],
    ['books?select=tags(id),tags(label)', '42712'],
    ['books?nowhere.id=eq.1', 'PGRST108'],
    ['books?order=nowhere(id)', 'PGRST108'],
    ['books?select=secrets(word)', 'PGRST200'],
    ['books?select=tags!secrets(id)', 'PGRST200'],
    ['books?select=titel', '42703'],
    ['books?titel=eq.x', '42703'],
    ['books?order=titel', '42703'],
    ['books?id=eq.x', '22P02'],
    ['books?search=fts(klingon).x', '42704'],
  ])('%s', async (path, code) => {
    expect(await refusal(path)).toEqual([400, code]);
  });
  test('rejects embeds that are six levels deep (DB-22)', async () => {
    const deep = 'books?select=tags(books(tags(books(tags(books(id))))))';
    expect(await refusal(deep)).toEqual([400, 'PGRST100']);
    const allowed = 'books?select=tags(books(tags(books(tags(id)))))';
    expect((await library.request(allowed)).status).toBe(200);
  });
  test('rejects a short URL that compiles to a long statement', async () => {
    const select = 'select=tags(books(tags(books(id))))';
    const tests = `or=(${times(300, 'tags.is.null', ',')})`;
    const nested = ['tags', 'tags.books', 'tags.books.tags'].map(
      (path) =>
        `${path}.or=(${times(60, `${path.endsWith('books') ? 'tags' : 'books'}.is.null`, ',')})`,
    );
    expect(await refusal(`books?${[select, tests, ...nested].join('&')}`)).toEqual([
      400,
      'PGRST100',
    ]);
    const many = `tags.or=(${times(400, 'id.eq.1', ',')})`;
    const embedded = `books?select=tags()&or=(${times(90, 'tags.is.null', ',')})&${many}`;
    expect(await refusal(embedded)).toEqual([400, 'PGRST100']);
    const wordy = `tags.or=(${times(900, 'id.is.null', ',')})`;
    const long = `books?select=tags()&or=(${times(90, 'tags.is.null', ',')})&${wordy}`;
    expect(await refusal(long)).toEqual([400, 'PGRST100']);
  });
  test('rejects a URL that is too long', async () => {
    // Handled directly: Node's HTTP server limits URLs by default.
    const address = `${library.origin}/rest/v1/books?title=eq.${'x'.repeat(17_000)}`;
    const caller = { role: 'anon', claims: {} } as const;
    expect((await library.rest.handle(new Request(address), caller)).status).toBe(414);
  });
});

describe('does not find what is not exposed', () => {
  test.each(['nowhere', 'auth.users', 'users', 'pg_class', 'books%00', 'Books', '"books"'])(
    '%s',
    async (name) => {
      expect(await refusal(name)).toEqual([404, 'PGRST205']);
    },
  );
  test.each(['', 'books/1', 'rpc/', 'rpc/add/1', '../books'])('path %j', async (path) => {
    expect((await library.request(path)).status).toBe(404);
  });
  test('rejects unsupported methods', async () => {
    expect(await refusal('books?id=eq.1', { method: 'PROPFIND' })).toEqual([405, 'PGRST117']);
    expect(await refusal('rpc/add', { method: 'DELETE' })).toEqual([405, 'PGRST117']);
  });
});

describe('rejects an invalid header', () => {
  test.each([
    ['accept', 'text/html', 406, 'PGRST107'],
    ['accept', 'text/csv;nulls=stripped', 406, 'PGRST107'],
    ['accept', 'application/vnd.pgrst.plan+json', 406, 'PGRST107'],
    ['accept', 'application/json;nulls=stripped', 406, 'PGRST107'],
    ['accept-profile', 'auth', 406, 'PGRST106'],
    ['accept-profile', 'public, auth', 406, 'PGRST106'],
    ['prefer', 'handling=strict, anything', 400, 'PGRST122'],
    ['prefer', 'return=all, handling=strict', 400, 'PGRST122'],
    ['range', '5-1', 416, 'PGRST103'],
    ['range', 'bytes=0-10', 400, 'PGRST100'],
    ['range-unit', 'bytes', 400, 'PGRST100'],
  ])('%s: %s', async (name, value, status, code) => {
    expect(await refusal('books', { headers: { [name]: value } })).toEqual([status, code]);
  });
  test('ignores an unknown preference without handling=strict', async () => {
    const response = await library.request('books', {
      headers: { prefer: 'anything, return=all' },
    });
    expect(response.status).toBe(200);
  });
  test('rejects a range with a limit', async () => {
    const both = refusal('books?limit=1', { headers: { range: '0-1' } });
    expect(await both).toEqual([400, 'PGRST100']);
  });
});

const write = (path: string, method: string, body: string, type = 'application/json') =>
  refusal(path, { as: 'alice', method, body, headers: { 'content-type': type } });

describe('rejects an invalid body', () => {
  test.each([
    ['books', 'POST', ''],
    ['books', 'POST', '{'],
    ['books', 'POST', '3'],
    ['books', 'POST', '[1]'],
    ['books', 'POST', '[{},{}]'],
    ['books?id=eq.1', 'PATCH', '[]'],
    ['rpc/add', 'POST', '{'],
  ])('%s %s %s', async (path, method, body) => {
    expect(await write(path, method, body)).toEqual([400, 'PGRST102']);
  });
  test('rejects types other than JSON and CSV', async () => {
    expect(await write('books', 'POST', 'a=b', 'application/x-www-form-urlencoded')).toEqual([
      400,
      'PGRST102',
    ]);
  });
  test.each(['', 'title,title\na,b', 'title\na,b', 'title\n"a', 'title\n"a"b', 'title,pages\na'])(
    'rejects invalid CSV: %j',
    async (body) => {
      expect(await write('books', 'POST', body, 'text/csv')).toEqual([400, 'PGRST102']);
    },
  );
  test.each([
    ['books', '{"id":1,"title":"x"}', 405, 'PGRST105'],
    ['books?id=gt.1', '{"id":1,"title":"x"}', 405, 'PGRST105'],
    ['books?id=eq.1&title=eq.x', '{"id":1,"title":"x"}', 405, 'PGRST105'],
    ['books?title=eq.x', '{"id":1,"title":"x"}', 405, 'PGRST105'],
    ['books?id=eq.1', '{"id":2,"title":"x"}', 400, 'PGRST115'],
    ['books?id=eq.1', '{"title":"x"}', 400, 'PGRST115'],
    ['books?id=eq.1&limit=1', '{"id":1,"title":"x"}', 400, 'PGRST114'],
  ])('rejects a PUT at %s: %s', async (path, body, status, code) => {
    expect(await write(path, 'PUT', body)).toEqual([status, code]);
  });
  test('rejects a body that is too large', async () => {
    const body = JSON.stringify({ title: 'x'.repeat(33 * 1024 * 1024) });
    expect(await write('books', 'POST', body)).toEqual([413, 'PGRST102']);
  });
  test.each([
    ['books?id=eq.1', 'POST', '{"title":"x"}'],
    ['books?on_conflict=id', 'POST', '{"title":"x"}'],
    ['books?id=eq.1&on_conflict=id', 'PATCH', '{"title":"x"}'],
    ['books?id=eq.1&limit=1', 'PATCH', '{"title":"x"}'],
    ['rpc/add?a=eq.1', 'POST', '{"a":1}'],
    ['rpc/add?select=a', 'POST', '{"a":1}'],
    ['rpc/add?limit=1', 'POST', '{"a":1}'],
    ['rpc/add?columns=a', 'POST', '{"a":1}'],
  ])('rejects parameters that do not apply: %s %s', async (path, method, body) => {
    expect(await write(path, method, body)).toEqual([400, 'PGRST100']);
  });
});
