import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary();
}, 60_000);
afterAll(() => library.close());

/** Sends a GET that must succeed; returns its body. */
async function read(path: string, as = 'visitor'): Promise<unknown> {
  const response = await library.request(path, { as });
  const body: unknown = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}

describe('columns', () => {
  test('are renamed, cast and read from JSON', async () => {
    const path = 'books?id=eq.1&select=name:title,pages::text,data->a->b->1,kind:data->>kind,price';
    expect(await read(path)).toEqual([
      { name: 'Tides, and (other) waves', pages: '120', b: 20, kind: 'essay', price: 9.5 },
    ]);
  });
  test('are formatted by PostgreSQL, digit for digit', async () => {
    const response = await library.request('books?id=in.(1,2)&select=price,printed_at&order=id');
    expect(await response.text()).toBe(
      '[{"price":9.5000000000,"printed_at":"2024-02-29T12:00:00.123456+00:00"}, \n {"price":12.0000000001,"printed_at":null}]',
    );
  });
  test('may have names that need quotes', async () => {
    expect(await read('odd%20name?select=select,"two words","a\\"b"&"a\\"b"=eq.1')).toEqual([
      { select: 'x', 'two words': 'y', 'a"b': 1 },
    ]);
  });
  test('may have the names that generated SQL uses', async () => {
    const path = 'books?id=eq.1&select=r:id,e:pages,t0:mood,author:author_id(e:id,r:name)';
    expect(await read(path)).toEqual([{ r: 1, e: 120, t0: 'calm', author: { e: 1, r: 'Ada' } }]);
  });
  test('may be computed by a function of the row', async () => {
    expect(await read('books?id=eq.2&select=shout&shout=eq.STARS')).toEqual([{ shout: 'STARS' }]);
  });
});

const ids = async (filter: string) => {
  const rows = await read(`books?select=id&order=id&${filter}`);
  return (rows as { id: number }[]).map(({ id }) => id);
};

describe('filters', () => {
  test.each([
    ['id=eq.2', [2]],
    ['id=neq.2', [1, 4]],
    ['pages=gt.80', [1, 4]],
    ['pages=gte.80&pages=lt.300', [1, 2]],
    ['pages=lte.80', [2]],
    ['title=like.*es,*', [1]],
    ['title=ilike.*STARS*', [2]],
    ['title=like(any).{Tides*,Stars}', [1, 2]],
    ['title=ilike(all).{*t*,*s*}', [1, 2, 4]],
    ['id=eq(any).{1,4}', [1, 4]],
    ['id=in.(1,2)', [1, 2]],
    ['id=in.()', []],
    ['title=in.("Tides, and (other) waves","Moss \\"soft\\"")', [1, 4]],
    ['title=eq.Moss "soft"', [4]],
    ['author_id=is.null', [4]],
    ['author_id=is.not_null', [1, 2]],
    ['author_id=not.is.null', [1, 2]],
    ['is_public=is.true', [1, 2, 4]],
    ['author_id=isdistinct.1', [2, 4]],
    ['words=cs.{sea}', [1]],
    ['words=cd.{night,moss}', [2, 4]],
    ['words=ov.{salt,moss}', [1, 4]],
    ['data=cs.{"kind":"verse"}', [2]],
    ['data->>kind=eq.essay', [1]],
    ['data->a->b->>0=eq.10', [1]],
    ['during=ov.[4,6)', [1, 2]],
    ['during=sl.[5,9)', [1]],
    ['during=adj.[9,12)', [2]],
    ['search=fts.star', [2]],
    ['search=plfts(english).stars', [2]],
    ['title=wfts(english).tide -moss', [1]],
    ['title=phfts.other waves', [1]],
    ['search=not.fts.star', [1, 4]],
    ['mood=eq.tense', [2]],
    ['or=(id.eq.1,and(pages.gt.200,title.like.Moss*))', [1, 4]],
    ['not.or=(id.eq.1,id.eq.2)', [4]],
    ['and=(id.gt.1,not.and(id.eq.2,pages.eq.80))', [4]],
    ['or=(title.eq."Tides, and (other) waves",id.in.(2,9))', [1, 2]],
    ['or=(words.cs.{night},author_id.is.null)', [2, 4]],
    ['or=(id.not.eq.1, id.not.in.(1,2,4))', [2, 4]],
  ])('%s', async (filter, expected) => {
    expect(await ids(filter)).toEqual(expected);
  });
  test('compare as the column’s type does: an author is found in any case', async () => {
    expect(await read('authors?name=eq.ADA&select=id')).toEqual([{ id: 1 }]);
  });
});

describe('embedding', () => {
  test('follows a key to one row, backwards to many, and through a junction', async () => {
    const path =
      'books?id=eq.1&select=id,author:authors!author_id(name),editor:authors!books_editor_fkey(name),tags(label),summaries(text)&tags.order=label.desc';
    expect(await read(path)).toEqual([
      {
        id: 1,
        author: { name: 'Ada' },
        editor: { name: 'Basho' },
        tags: [{ label: 'stars' }, { label: 'sea' }],
        summaries: { text: 'About tides' },
      },
    ]);
    expect(await read('authors?id=eq.2&select=name,books!author_id(title)')).toEqual([
      { name: 'Basho', books: [{ title: 'Stars' }] },
    ]);
  });
  test('follows a key of a relation to itself in both directions', async () => {
    const path =
      'authors?id=in.(1,2)&select=name,mentor_id(name),pupils:authors!mentor_id(name)&order=id&pupils.order=id';
    expect(await read(path)).toEqual([
      { name: 'Ada', mentor_id: null, pupils: [{ name: 'Basho' }, { name: 'Clara' }] },
      { name: 'Basho', mentor_id: { name: 'Ada' }, pupils: [] },
    ]);
  });
  test('rejects an ambiguous relationship', async () => {
    const response = await library.request('books?select=authors(name)');
    expect(response.status).toBe(300);
    expect(await response.json()).toMatchObject({ code: 'PGRST201' });
  });
  test('excludes rows without a match when it is inner', async () => {
    const path = 'books?select=id,author_id!inner(name)&author_id.name=eq.basho';
    expect(await read(path)).toEqual([{ id: 2, author_id: { name: 'Basho' } }]);
    expect(await read('tags?select=id,books!inner()&books.pages=gt.200')).toEqual([{ id: 3 }]);
    const nested =
      'authors?select=id,books!author_id!inner(tags!inner(label))&books.tags.label=eq.sea';
    expect(await read(nested)).toEqual([{ id: 1, books: [{ tags: [{ label: 'sea' }] }] }]);
  });
  test('has its own filters, order and limit', async () => {
    const path = 'tags?id=eq.2&select=books(id)&books.order=id.desc&books.limit=1&books.offset=1';
    expect(await read(path)).toEqual([{ books: [{ id: 1 }] }]);
    const filtered = 'tags?id=eq.2&select=books(id)&books.or=(id.eq.2,id.eq.7)';
    expect(await read(filtered)).toEqual([{ books: [{ id: 2 }] }]);
  });
  test('counts', async () => {
    expect(await read('tags?select=id,books(count)&order=id')).toEqual([
      { id: 1, books: [{ count: 1 }] },
      { id: 2, books: [{ count: 2 }] },
      { id: 3, books: [{ count: 1 }] },
    ]);
    expect(await read('tags?id=eq.2&select=n:books(many:count())')).toEqual([{ n: [{ many: 2 }] }]);
  });
  test('can be tested and ordered by', async () => {
    expect(await read('books?select=id,author_id(name)&author_id=is.null')).toHaveLength(1);
    const without = 'books?select=id,summaries()&summaries=is.null&order=id';
    expect(await read(without)).toEqual([{ id: 2 }, { id: 4 }]);
    const ordered = 'books?select=id,author:author_id(name)&order=author(name).desc.nullslast,id';
    expect(await read(ordered)).toMatchObject([{ id: 2 }, { id: 1 }, { id: 4 }]);
    const byMany = await library.request('tags?select=id,books(id)&order=books(id)');
    expect(await byMany.json()).toMatchObject({ code: 'PGRST118' });
  });
  test('returns nothing that the user may not see', async () => {
    const path = 'authors?id=eq.2&select=books!author_id(title)';
    expect(await read(path)).toEqual([{ books: [{ title: 'Stars' }] }]);
    expect(await read(path, 'alice')).toEqual([
      { books: [{ title: 'Stars' }, { title: 'CANARY draft' }] },
    ]);
  });
});

const head = async (path: string, as: string) => {
  const response = await library.request(path, {
    as,
    method: 'HEAD',
    headers: { prefer: 'count=exact' },
  });
  expect(await response.text()).toBe('');
  return response.headers.get('content-range');
};

describe('pages and counts', () => {
  test('a range, or limit and offset, select the same page', async () => {
    const ranged = await library.request('books?select=id&order=id', { headers: { range: '1-1' } });
    expect(await ranged.json()).toEqual([{ id: 2 }]);
    expect(ranged.headers.get('content-range')).toBe('1-1/*');
    const { data, count, status } = await library
      .as('visitor')
      .from('books')
      .select('id', { count: 'exact' })
      .order('id')
      .range(1, 1);
    expect({ data, count, status }).toEqual({ data: [{ id: 2 }], count: 3, status: 206 });
  });
  test('HEAD counts only what the user may see', async () => {
    expect(await head('books?title=like.CANARY*', 'bob')).toBe('*/0');
    expect(await head('books?title=like.CANARY*', 'alice')).toBe('0-0/1');
  });
  test('rejects a page beyond the last row when rows are counted', async () => {
    const response = await library.request('books?offset=9', {
      headers: { prefer: 'count=exact' },
    });
    expect(response.status).toBe(416);
    expect(await response.json()).toEqual({
      code: 'PGRST103',
      details: 'An offset of 9 was requested, but there are only 3 rows.',
      hint: null,
      message: 'Requested range not satisfiable',
    });
  });
  test('limits responses and embedded lists to a thousand rows', async () => {
    await library.sql`insert into public.tags select n, 'many' from generate_series(1000, 2100) n`;
    await library.sql`insert into public.book_tags select 2, n from generate_series(1000, 2100) n`;
    expect(await read('tags?limit=5000')).toHaveLength(1000);
    const [book] = (await read('books?id=eq.2&select=tags(id)')) as { tags: unknown[] }[];
    expect(book?.tags).toHaveLength(1000);
    await library.sql`delete from public.book_tags where tag_id >= 1000`;
    await library.sql`delete from public.tags where id >= 1000`;
  });
});

describe('one object', () => {
  test('is returned for exactly one row', async () => {
    const { data } = await library.as('visitor').from('tags').select().eq('id', 1).single();
    expect(data).toEqual({ id: 1, label: 'sea' });
  });
  test('is rejected as in PostgREST for more rows or none', async () => {
    const { error, status } = await library.as('visitor').from('tags').select().single();
    expect(status).toBe(406);
    expect(error).toMatchObject({ code: 'PGRST116', details: 'The result contains 3 rows' });
    const none = await library.as('visitor').from('tags').select().eq('id', 77).maybeSingle();
    expect(none).toMatchObject({ data: null, error: null });
  });
  test('may omit null values', async () => {
    const headers = { accept: 'application/vnd.pgrst.object+json;nulls=stripped' };
    const response = await library.request('authors?id=eq.3&select=name,born', { headers });
    expect(await response.text()).toBe('{"name":"Clara"}');
  });
});

test('reads a view like a table', async () => {
  expect(await read('cheap_books?select=title')).toEqual([{ title: 'Tides, and (other) waves' }]);
});

test('finds a new table after a notification, and without one', async () => {
  await library.sql.unsafe(`create table public.late (id int primary key)`);
  await library.sql`notify pgrst, 'reload schema'`;
  await expect.poll(async () => (await library.request('late')).status).toBe(200);
});
