import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extraSchemaSql } from './extra-schema.ts';
import { openLibrary, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary({
    more: extraSchemaSql,
    settings: { db_aggregates_enabled: 'true', db_max_rows: '3' },
  });
}, 60_000);
afterAll(() => library.close());

async function read(path: string): Promise<unknown> {
  return await (await library.request(path)).json();
}

describe('embedding', () => {
  test.each<[string, unknown]>([
    // A relation with itself: its name selects to-many, the key's column to-one.
    ['authors?id=eq.1&select=authors(id)&authors.order=id', [{ authors: [{ id: 2 }, { id: 3 }] }]],
    ['authors?id=eq.2&select=mentor_id(name)', [{ mentor_id: { name: 'Ada' } }]],
    [
      'authors?id=eq.1&select=pupils:authors!mentor_id(id)&pupils.order=id',
      [{ pupils: [{ id: 2 }, { id: 3 }] }],
    ],
    // A key as the target also works backwards.
    ['authors?id=eq.2&select=edited:books_editor_fkey(id)', [{ edited: [{ id: 1 }] }]],
    // Functions from a row to rows.
    ['authors?id=eq.2&select=books_of(id)&books_of.order=id.desc', [{ books_of: [{ id: 2 }] }]],
    [
      'authors?order=id&select=id,longest_book(title,shout)',
      [
        {
          id: 1,
          longest_book: { title: 'Tides, and (other) waves', shout: 'TIDES, AND (OTHER) WAVES' },
        },
        { id: 2, longest_book: { title: 'Stars', shout: 'STARS' } },
        { id: 3, longest_book: null },
      ],
    ],
    ['authors?select=id,longest_book!inner()&longest_book.pages=gt.100', [{ id: 1 }]],
    [
      'rpc/books_after?page_count=200&select=tags(label,books_with(id))',
      [{ tags: [{ label: 'moss', books_with: [{ id: 4 }] }] }],
    ],
    // Through views, and a view on a view.
    ['open_books?number=eq.1&select=authors(name)', [{ authors: { name: 'Ada' } }]],
    [
      'open_titles?number=eq.1&select=writer(name),tags(id)&tags.order=id',
      [{ writer: { name: 'Ada' }, tags: [{ id: 1 }, { id: 2 }] }],
    ],
    ['authors?id=eq.2&select=open_books(number)', [{ open_books: [{ number: 2 }] }]],
    ['summaries?select=open_books(title)', [{ open_books: { title: 'Tides, and (other) waves' } }]],
    // Paths in columns that are not JSON.
    ['books?id=eq.1&select=words->1', [{ words: 'salt' }]],
  ])('%s', async (path, answer) => {
    expect(await read(path)).toEqual(answer);
  });

  test('reports all candidates when it is ambiguous', async () => {
    expect(await read('books?select=authors(name)')).toMatchObject({
      code: 'PGRST201',
      details: [
        {
          cardinality: 'many-to-one',
          embedding: 'books with authors',
          relationship: 'books_author_id_fkey using books(author_id) and authors(id)',
        },
        { relationship: 'books_editor_fkey using books(editor_id) and authors(id)' },
      ],
    });
  });

  test('limits rows whatever limit is requested (DB-22)', async () => {
    expect(await read('rpc/pairs?last=9&select=n&limit=100')).toHaveLength(3);
    expect(await read('rpc/numbers?last=9&limit=5')).toEqual([1, 2, 3]);
    expect(await read('rpc/numbers?last=9&offset=1&limit=1')).toEqual([2]);
  });
});

describe('spread', () => {
  test.each<[string, unknown]>([
    [
      'books?id=eq.1&select=id,...author_id(name,born)',
      [{ id: 1, name: 'Ada', born: '1815-12-10' }],
    ],
    ['books?id=eq.4&select=id,...author_id(writer:name)', [{ id: 4, writer: null }]],
    [
      'summaries?select=...books(title,...author_id(*))',
      [
        {
          title: 'Tides, and (other) waves',
          id: 1,
          name: 'Ada',
          born: '1815-12-10',
          mentor_id: null,
        },
      ],
    ],
    [
      'books?id=eq.1&select=id,...tags(label)&tags.order=label.desc',
      [{ id: 1, label: ['stars', 'sea'] }],
    ],
    [
      'books?id=eq.4&select=...summaries(text),...tags(label,tag:id)',
      [{ text: null, label: ['moss'], tag: [3] }],
    ],
    [
      'books?select=id,...author_id!inner(name)&author_id.name=eq.basho',
      [{ id: 2, name: 'Basho' }],
    ],
    [
      'books?order=author_id(name).desc&select=id,...author_id(name)&limit=1&author_id=not.is.null',
      [{ id: 2, name: 'Basho' }],
    ],
  ])('%s', async (path, answer) => {
    expect(await read(path)).toEqual(answer);
  });
});

describe('aggregates', () => {
  test.each<[string, unknown]>([
    ['books?select=pages.sum(),most:pages.max(),count()', [{ sum: 500, most: 300, count: 3 }]],
    [
      'books?select=mood,pages.sum()&order=mood',
      [
        { mood: 'calm', sum: 420 },
        { mood: 'tense', sum: 80 },
      ],
    ],
    ['books?select=pages::text.min()::int,avg:pages.avg()::int', [{ min: 120, avg: 167 }]],
    [
      'books?select=data->>kind,count()&order=data->>kind.nullslast',
      [
        { kind: 'essay', count: 1 },
        { kind: 'verse', count: 1 },
        { kind: null, count: 1 },
      ],
    ],
    [
      'authors?id=eq.1&select=books!author_id(pages.sum(),mood)',
      [{ books: [{ sum: 120, mood: 'calm' }] }],
    ],
    ['books?id=eq.1&select=...author_id(name),pages.sum()', [{ name: 'Ada', sum: 120 }]],
    ['books?select=mood,...author_id(id.max())&mood=eq.tense', [{ mood: 'tense', max: 2 }]],
    ['books?id=eq.2&select=author_id(name),count()', [{ author_id: { name: 'Basho' }, count: 1 }]],
    ['tags?id=eq.1&select=books(count)', [{ books: [{ count: 1 }] }]],
  ])('%s', async (path, answer) => {
    expect(await read(path)).toEqual(answer);
  });

  test.each([
    ['books?select=author_id(name),pages.sum()&order=author_id', '42803'],
    ['books?select=id,...tags(id.sum())', 'PGRST127'],
    ['books?select=words.sum()', '42883'],
  ])('rejects %s', async (path, code) => {
    expect(await read(path)).toMatchObject({ code });
  });
});
