import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { alice, openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
  await library.sql`create table public.books_before as select * from public.books`;
}, 60_000);
afterAll(() => library.close());

let before: string;
beforeEach(async () => {
  before = await allBooks();
});
afterEach(async () => {
  await library.sql`delete from public.books where id > 4`;
});

/** All books, as text. */
async function allBooks(): Promise<string> {
  const [row] = await library.sql<{ text: string }[]>`
    select json_agg(b order by id)::text as text from public.books b`;
  return row?.text ?? '';
}

const json = { 'content-type': 'application/json' };

const post = (body: string) =>
  library.request('authors', {
    as: 'alice',
    method: 'POST',
    body,
    headers: { ...json, prefer: 'return=representation' },
  });

describe('an insert', () => {
  test('responds with 201 without a body, or with the row and embedded relations', async () => {
    const books = library.as('alice').from('books');
    const silent = await books.insert({ title: 'Silent' });
    expect(silent).toMatchObject({ status: 201, data: null, error: null });
    const shown = await books
      .insert({ title: 'Shown', author_id: 1 })
      .select('title,pages,shout,author_id(name)')
      .single();
    expect(shown).toMatchObject({
      status: 201,
      data: { title: 'Shown', pages: 100, shout: 'SHOWN', author_id: { name: 'Ada' } },
    });
  });
  test('of several rows uses null or the default for missing values', async () => {
    const books = library.as('alice').from('books');
    const rows = [
      { title: 'One', pages: 7 },
      { title: 'Two', mood: 'tense' },
    ];
    const { error } = await books.insert(rows);
    expect(error?.code).toBe('23502');
    const { data } = await books.insert(rows, { defaultToNull: false }).select('title,pages');
    expect(data).toEqual([
      { title: 'One', pages: 7 },
      { title: 'Two', pages: 100 },
    ]);
  });
  test('of rows with different names requires columns', async () => {
    const body = JSON.stringify([{ title: 'One' }, { title: 'Two', pages: 1 }]);
    const uneven = await library.request('books', {
      as: 'alice',
      method: 'POST',
      body,
      headers: json,
    });
    expect(await uneven.json()).toMatchObject({
      code: 'PGRST102',
      message: 'All object keys must match',
    });
    const narrowed = await library.request('books?columns=title', {
      as: 'alice',
      method: 'POST',
      body,
      headers: { ...json, prefer: 'return=representation' },
    });
    expect(await narrowed.json()).toMatchObject([{ pages: 100 }, { pages: 100 }]);
  });
  test('keeps numbers exact and values of any type', async () => {
    const body =
      '{"title":"Exact","price":1234567890.0123456789,"words":["a\\"b","c,d"],"data":{"n":1e400},"mood":"tense","during":"[2,3)"}';
    const response = await library.request('books?select=price,words,data,mood,during', {
      as: 'alice',
      method: 'POST',
      body,
      headers: { ...json, prefer: 'return=representation' },
    });
    const text = await response.text();
    expect(text).toContain('"price":1234567890.0123456789,"words":["a\\"b","c,d"]');
    expect(text).toContain('"mood":"tense","during":"[2,3)"');
    expect(text).toContain(`"n": 1${'0'.repeat(400)}`);
  });
  test('of only defaults, and of no rows, is possible', async () => {
    expect((await post('{}')).status).toBe(400); // a name is required
    const none = await post('[]');
    expect([none.status, await none.text()]).toEqual([201, '[]']);
  });
  test('responds with the URL of the new row when only headers are requested', async () => {
    const response = await library.request('tags', {
      as: 'alice',
      method: 'POST',
      body: '{"id":50,"label":"new"}',
      headers: { ...json, prefer: 'return=headers-only' },
    });
    expect(response.headers.get('location')).toBe('/tags?id=eq.50');
    expect(response.headers.get('preference-applied')).toBe('return=headers-only');
    await library.sql`delete from public.tags where id = 50`;
  });
  test('reads nothing for a user who may write but not read', async () => {
    await library.sql.unsafe(`create table public.inbox (id int primary key, note text);
      revoke all on public.inbox from anon; grant insert on public.inbox to anon; notify pgrst`);
    await expect.poll(async () => (await library.request('inbox')).status).toBe(401);
    const { status } = await library.as('visitor').from('inbox').insert({ id: 1, note: 'x' });
    expect(status).toBe(201);
    const read = await library.as('visitor').from('inbox').insert({ id: 2, note: 'x' }).select();
    expect(read).toMatchObject({ status: 401, error: { code: '42501' } });
  });
});

test('supports columns named like parts of generated SQL', async () => {
  const response = await library.request('awkward?columns=item,body&select=*,e:item', {
    as: 'alice',
    method: 'POST',
    body: '[{"item":1,"body":"x"},{"item":2}]',
    headers: { ...json, prefer: 'return=representation,missing=default' },
  });
  expect(await response.json()).toEqual([
    { item: 1, body: 'x', source: 's', r: null, e: 1 },
    { item: 2, body: 'b', source: 's', r: null, e: 2 },
  ]);
});

describe('an upsert', () => {
  test('merges or ignores existing rows', async () => {
    const tags = library.as('alice').from('tags');
    const merged = await tags
      .upsert([
        { id: 1, label: 'ocean' },
        { id: 60, label: 'sand' },
      ])
      .select();
    expect(merged.data).toEqual([
      { id: 1, label: 'ocean' },
      { id: 60, label: 'sand' },
    ]);
    const left = await tags.upsert({ id: 1, label: 'sea' }, { ignoreDuplicates: true }).select();
    expect(left.data).toEqual([]);
    await tags.update({ label: 'sea' }).eq('id', 1);
    await tags.delete().eq('id', 60);
  });
  test('uses the given conflict columns', async () => {
    const authors = library.as('alice').from('authors');
    const { data } = await authors
      .upsert({ name: 'ADA', born: '1815-12-10' }, { onConflict: 'name' })
      .select('id,name');
    expect(data).toEqual([{ id: 1, name: 'ADA' }]);
    await authors.update({ name: 'Ada' }).eq('id', 1);
  });
  test('of another user’s row is rejected and changes nothing (DB-08)', async () => {
    const { status, error } = await library
      .as('bob')
      .from('books')
      .upsert({ id: 1, title: 'Stolen', owner_id: alice });
    expect([status, error?.code]).toEqual([403, '42501']);
    const own = await library.as('bob').from('books').upsert({ id: 3, title: 'Stolen' });
    expect(own.status).toBe(403);
    expect(await allBooks()).toBe(before);
  });
});

describe('an update', () => {
  test('changes the rows that match the filters and policies', async () => {
    const { data, count, status } = await library
      .as('alice')
      .from('books')
      .update({ pages: 121 }, { count: 'exact' })
      .in('id', [1, 4])
      .select('id,pages');
    expect({ data, count, status }).toEqual({
      data: [{ id: 1, pages: 121 }],
      count: 1,
      status: 200,
    });
    const silent = await library.as('alice').from('books').update({ pages: 120 }).eq('id', 1);
    expect(silent.status).toBe(204);
    expect(await allBooks()).toBe(before);
  });
  test('of another user’s row finds no row (DB-05)', async () => {
    const { data, status } = await library
      .as('bob')
      .from('books')
      .update({ title: 'Mine' })
      .eq('id', 1)
      .select();
    expect({ data, status }).toEqual({ data: [], status: 200 });
    expect(await allBooks()).toBe(before);
  });
  test('that would give a row to another user is rejected', async () => {
    const { error, status } = await library
      .as('alice')
      .from('books')
      .update({ owner_id: '00000000-0000-4000-8000-00000000000b' })
      .eq('id', 1);
    expect([status, error?.code]).toEqual([403, '42501']);
  });
  test('that affects too many rows is rolled back', async () => {
    const response = await library.request('books?id=lt.3', {
      as: 'alice',
      method: 'PATCH',
      body: '{"pages":1}',
      headers: { ...json, prefer: 'handling=strict,max-affected=1' },
    });
    expect(await response.json()).toMatchObject({
      code: 'PGRST124',
      details: 'The query affects 2 rows',
    });
    expect(await allBooks()).toBe(before);
  });
  test('that must return one object and has two is rolled back', async () => {
    const { status } = await library
      .as('alice')
      .from('books')
      .update({ pages: 1 })
      .lt('id', 3)
      .select()
      .single();
    expect(status).toBe(406);
    expect(await allBooks()).toBe(before);
  });
});

describe('a delete', () => {
  test('deletes the rows that match, and returns them when requested', async () => {
    await library.as('alice').from('books').insert({ id: 70, title: 'Gone' });
    const { data } = await library
      .as('alice')
      .from('books')
      .delete()
      .eq('id', 70)
      .select('title,tags(label)');
    expect(data).toEqual([{ title: 'Gone', tags: [] }]);
  });
  test('without a filter is rejected, like an update (DB-22)', async () => {
    const remove = await library.request('books', { as: 'alice', method: 'DELETE' });
    expect(remove.status).toBe(400);
    expect(await remove.json()).toMatchObject({
      code: '21000',
      message: 'DELETE requires a WHERE clause',
    });
    const change = await library.request('books', {
      as: 'alice',
      method: 'PATCH',
      body: '{"pages":1}',
      headers: json,
    });
    expect(change.status).toBe(400);
    expect(await allBooks()).toBe(before);
  });
});

test('tx=rollback returns the result without keeping it', async () => {
  const response = await library.request('books?id=eq.1&select=pages', {
    as: 'alice',
    method: 'PATCH',
    body: '{"pages":5}',
    headers: { ...json, prefer: 'return=representation, tx=rollback' },
  });
  expect(await response.json()).toEqual([{ pages: 5 }]);
  expect(response.headers.get('preference-applied')).toBe('return=representation, tx=rollback');
  expect(await allBooks()).toBe(before);
});

const insert = async (row: object, as = 'alice', table = 'books') => {
  const { status, error } = await library.as(as).from(table).insert(row);
  return [status, error?.code];
};

describe('the status of an error', () => {
  test.each([
    ['a taken key', { id: 1, title: 'x' }, [409, '23505']],
    ['a missing other row', { author_id: 99, title: 'x' }, [409, '23503']],
    ['a failed check', { title: '' }, [400, '23514']],
    ['a missing value', { title: null }, [400, '23502']],
    ['a value of another type', { title: 'x', pages: 'many' }, [400, '22P02']],
    ['an unknown column', { titel: 'x' }, [400, 'PGRST204']],
    ['a generated column', { title: 'x', search: 'y' }, [400, '428C9']],
  ])('%s', async (_, row, expected) => {
    expect(await insert(row)).toEqual(expected);
  });
  test('is 403 for a table that the role may not write, and 401 for a visitor', async () => {
    expect(await insert({ id: 9 }, 'alice', 'secrets')).toEqual([403, '42501']);
    expect(await insert({ id: 9 }, 'visitor', 'secrets')).toEqual([401, '42501']);
  });
  test('does not reveal an existing key of an invisible row', async () => {
    const { error } = await library.as('bob').from('books').insert({ id: 3, title: 'x' });
    expect(error).toMatchObject({ code: '23505', details: null });
  });
});

describe('PUT', () => {
  const put = (body: object, as = 'alice', prefer = 'return=representation') =>
    library.request('books?id=eq.90', {
      as,
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { ...json, prefer },
    });

  test('creates the row whose key is in the URL, and then replaces it', async () => {
    const made = await put({ id: 90, title: 'Made' });
    expect([made.status, await made.json()]).toMatchObject([201, [{ id: 90, title: 'Made' }]]);
    const replaced = await put({ id: 90, title: 'Replaced' });
    expect([replaced.status, await replaced.json()]).toMatchObject([200, [{ title: 'Replaced' }]]);
    expect((await put({ id: 90, title: 'Silent' }, 'alice', '')).status).toBe(204);
    const other = await put({ id: 90, title: 'Stolen' }, 'bob');
    expect(other.status).toBe(403);
    const [row] = await library.sql`select title from public.books where id = 90`;
    expect(row).toEqual({ title: 'Silent' });
  });

  test('with another key than the URL changes nothing', async () => {
    expect((await put({ id: 1, title: 'Stolen' })).status).toBe(400);
    expect(await allBooks()).toBe(before);
  });
});

test('accepts CSV: quotes, line breaks and nulls', async () => {
  const body = 'title,pages,words\r\n"One, ""quoted""\nline",7,{a}\r\nTwo,8,{}\r\n';
  const headers = { 'content-type': 'text/csv', prefer: 'return=representation' };
  const options = { as: 'alice', method: 'POST', headers };
  const made = await library.request('books?select=title,pages,words', { ...options, body });
  expect([made.status, await made.json()]).toEqual([
    201,
    [
      { title: 'One, "quoted"\nline', pages: 7, words: ['a'] },
      { title: 'Two', pages: 8, words: [] },
    ],
  ]);
  const absent = await library.request('books?select=price', {
    ...options,
    body: 'title,price\nThree,NULL',
  });
  expect(await absent.json()).toEqual([{ price: null }]);
});
