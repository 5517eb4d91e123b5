import { readFileSync, readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  validateAsset,
  validatePath,
  validateTitle,
  validateUsername,
  isErrorCode,
  isSlug,
  getPathKey,
  reservedUsernames,
} from '@vitrine/project';
import { migrationsDir, openTestDatabase } from '@vitrine/testing/database';
import type { TestDatabase } from '@vitrine/testing/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const text = (maxLength: number) =>
  fc
    .string({ unit: 'grapheme', maxLength })
    .filter((value) => !value.includes('\0') && value.isWellFormed());

describe('the rules in the database and in packages/project', () => {
  const odd = fc.constantFrom(
    '..',
    '.',
    '',
    '__vitrine',
    '__vitrine/x',
    'a\\b',
    ' a',
    'a ',
    'a\u00a0',
    '\ufeffa',
    'e\u0301',
    'é',
    'a\u007fb',
    'a\u0001',
    'a\tb',
    'a\u0085',
    'x'.repeat(255),
    'é'.repeat(128),
    'İ',
    'ΑΣ',
    'ǅ',
    '.env',
  );

  test('agree on paths', async () => {
    const path = fc
      .array(fc.oneof(odd, text(8)), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(path, async (value) => {
        const [row] = await database.sql`select private.is_path(${value}) as valid`;
        expect(row).toEqual({ valid: validatePath(value) === undefined });
      }),
      { numRuns: 500 },
    );
  });

  test('agree on the media types of assets', async () => {
    const part = fc.oneof(
      fc.constantFrom('image', 'text', 'application', 'json', 'wasm', 'png', 'svg+xml', 'ld+json'),
      fc.constantFrom('html; charset=utf-8', 'octet-stream', 'javascript', 'a\nb', 'x'.repeat(81)),
      text(8),
    );
    const type = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(type, async (mediaType) => {
        const [row] = await database.sql`select private.is_asset_type(${mediaType}) as valid`;
        const asset = { kind: 'asset', hash: 'a'.repeat(64), size: 1, mediaType } as const;
        expect(row).toEqual({ valid: validateAsset(asset) === undefined });
      }),
      { numRuns: 500 },
    );
  });

  // Letters whose case mapping exists since Unicode 10, the oldest version of a database's ICU.
  const cased = fc
    .constantFrom([0x21, 0x24f], [0x370, 0x52f], [0x531, 0x587], [0x1e00, 0x1fff], [0xff21, 0xff5a])
    .chain(([from = 0, to = 0]) => fc.integer({ min: from, max: to }))
    .map((point) => String.fromCodePoint(point));

  test('agree on equal paths', async () => {
    const path = fc.array(fc.oneof(cased, odd), { maxLength: 12 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(path, async (value) => {
        const [row] = await database.sql`select private.path_key(${value}) as key`;
        expect(row).toEqual({ key: getPathKey(value) });
      }),
      { numRuns: 500 },
    );
  });

  test('agree on titles without surrounding spaces', async () => {
    const title = fc.oneof(odd, text(130)).map((value) => value.trim());
    await fc.assert(
      fc.asyncProperty(title, async (value) => {
        const [row] = await database.sql`select private.is_title(${value}) as valid`;
        expect(row).toEqual({ valid: validateTitle(value) === undefined });
      }),
      { numRuns: 200 },
    );
  });

  test('agree on usernames', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(...reservedUsernames),
          fc.stringMatching(/^[a-zA-Z0-9-]{0,32}$/),
          fc
            .string({ unit: 'binary', maxLength: 32 })
            .filter((name) => !name.includes('\0') && name.isWellFormed()),
        ),
        async (name) => {
          const [row] = await database.sql`
            select private.is_username(${name}) and not private.is_reserved(${name}) as valid`;
          expect(row).toEqual({ valid: validateUsername(name) === undefined });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('agree on reserved usernames', async () => {
    const [row] = await database.sql<{ source: string }[]>`
      select prosrc as source from pg_proc where oid = 'private.is_reserved'::regproc`;
    const names = [...(row?.source ?? '').matchAll(/'([^']+)'/g)].map((match) => match[1]);
    expect(new Set(names)).toEqual(reservedUsernames);
  });
});

test('PT-07.3: a new slug has sixteen characters and does not repeat in ten thousand draws', async () => {
  const rows = await database.sql<
    { slug: string }[]
  >`select private.new_slug() as slug from generate_series(1, 10000)`;
  expect(new Set(rows.map((row) => row.slug)).size).toBe(10_000);
  expect(rows.every((row) => row.slug.length === 16 && isSlug(row.slug))).toBe(true);
  expect(new Set(rows.map((row) => row.slug).join('')).size).toBe(36);
});

describe('error codes of the database', () => {
  test('are in the catalog', () => {
    const text = readdirSync(migrationsDir)
      .map((file) => readFileSync(`${migrationsDir}/${file}`, 'utf8'))
      .join('\n');
    const codes = [
      ...[...text.matchAll(/refuse\(\d+, '(\w+)'/g)].map((match) => match[1]),
      ...[...text.matchAll(/constraint (\w+)\s+check/g)].map((match) => match[1]),
      ...[...text.matchAll(/create unique index (\w+)/g)].map((match) => match[1]),
    ];
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !isErrorCode(code))).toEqual([]);
  });
});
