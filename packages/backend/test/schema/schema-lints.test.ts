import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '@vitrine/testing/database';
import type { TestDatabase } from '@vitrine/testing/database';
import { rollBackAfter } from './schema-attempts.ts';
import { findMistakes, lints } from './schema-lints.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

describe.each(lints)('DB-01: $name', (lint) => {
  test('finds nothing in the schema', async () => {
    expect(await findMistakes(database.sql, lint)).toEqual([]);
  });

  test('detects a planted mistake', async () => {
    const found = await rollBackAfter(database.sql, async (tx) => {
      await tx.unsafe(lint.planted.sql);
      return findMistakes(tx, lint);
    });
    expect(found).toContain(lint.planted.found);
  });

  test('only lists exceptions that still exist', async () => {
    const found = await findMistakes(database.sql, { ...lint, reviewed: {} });
    expect(found).toEqual(expect.arrayContaining(Object.keys(lint.reviewed)));
  });
});
