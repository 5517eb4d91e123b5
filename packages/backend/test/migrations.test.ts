import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TransactionSql } from 'postgres';
import { MigrationError, applyMigrations, connectDatabase } from '../src/postgres/index.ts';
import { splitStatements } from '../src/postgres/sql-statements.ts';
import { migrationsDir, openTestDatabase } from '@vitrine/testing/database';
import type { TestDatabase } from '@vitrine/testing/database';
import { getRejectionCode } from './schema/schema-attempts.ts';
import { appendUpdates, createProject, createUpdate } from '@vitrine/testing/schema-calls';
import { addUser, switchUser } from '@vitrine/testing/schema-world';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.sql`drop schema if exists supabase_migrations, made cascade`;
  await database.sql`create schema made`;
  folder = await mkdtemp(join(tmpdir(), 'vitrine-migrations-'));
  return () => rm(folder, { recursive: true });
});

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const tables = async () =>
  (await database.sql`select tablename from pg_tables where schemaname = 'made' order by 1`).map(
    (row) => row['tablename'] as unknown,
  );
const rows = () =>
  database.sql`select * from supabase_migrations.schema_migrations order by version`;

test('applies migrations in order, once, and records them as the Supabase CLI does', async () => {
  await write('20260102000000_second.sql', 'alter table made.a add column c int;');
  await write('20260101000000_first.sql', '-- begins\ncreate table made.a (b int);\nselect 1;\n');
  expect(await applyMigrations(database.sql, folder)).toEqual(['20260101000000', '20260102000000']);
  expect(await applyMigrations(database.sql, folder)).toEqual([]);
  expect([...(await rows())]).toEqual([
    {
      version: '20260101000000',
      statements: ['-- begins\ncreate table made.a (b int)', 'select 1'],
      name: 'first',
    },
    {
      version: '20260102000000',
      statements: ['alter table made.a add column c int'],
      name: 'second',
    },
  ]);
});

test('rolls back a failing migration, keeps earlier ones, and names file and line', async () => {
  await write('20260101000000_good.sql', 'create table made.good ();');
  await write(
    '20260102000000_bad.sql',
    'create table made.half ();\n\ninsert into made.half\n  values (1);\n',
  );
  const failure = applyMigrations(database.sql, folder);
  await expect(failure).rejects.toThrow(MigrationError);
  await expect(failure).rejects.toThrow(/^20260102000000_bad\.sql, line 4: /);
  expect(await tables()).toEqual(['good']);
  expect((await rows()).length).toBe(1);
  await write('20260102000000_bad.sql', 'create table made.whole ();');
  expect(await applyMigrations(database.sql, folder)).toEqual(['20260102000000']);
});

test('names the line of a statement that fails at run time', async () => {
  await write('20260101000000_bad.sql', 'select 1;\n\n-- why\nselect 1 / 0;\n');
  await expect(applyMigrations(database.sql, folder)).rejects.toThrow(/bad\.sql, line 4: division/);
});

test('supports concurrent migrations by several processes', async () => {
  await write('20260101000000_first.sql', 'create table made.a ();');
  const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(database.sql, folder)));
  expect(applied.flat()).toEqual(['20260101000000']);
});

test('rejects a migration with transaction control', async () => {
  await write('20260101000000_first.sql', 'create table made.a ();\n/* now */ commit;');
  await expect(applyMigrations(database.sql, folder)).rejects.toThrow(
    'line 2: migrations already run',
  );
  expect(await tables()).toEqual([]);
});

test('rejects a newer database, and a migration that comes too late', async () => {
  await write('20260103000000_third.sql', 'select 1;');
  await applyMigrations(database.sql, folder);
  await write('20260102000000_second.sql', 'select 1;');
  await expect(applyMigrations(database.sql, folder)).rejects.toThrow('is older than');
  await rm(join(folder, '20260103000000_third.sql'));
  await expect(applyMigrations(database.sql, folder)).rejects.toThrow('doesn’t include');
});

test('splits statements at their semicolons only', () => {
  const statements = [
    `select ';', ";", e'\\';', $$;$$, $a$ $b$;$b$ $a$, a$b$c`,
    `create function f() returns int begin atomic select case when 1 = 1 then 2 end; select 2; end`,
    `/* ; /* ; */ ; */ select 1 -- ;`,
    `do $do$ begin perform 1; end $do$`,
  ];
  const source = `${statements.join('\n;\n')};\n-- the end;\n`;
  expect(splitStatements(source).map((statement) => statement.text)).toEqual(statements);
});

test('loses no statement, whatever is quoted', () => {
  const quoted = fc.oneof(
    fc.string().map((text) => `'${text.replaceAll("'", "''")}'`),
    fc.string().map((text) => `$q$${text.replaceAll('$', '')}$q$`),
    fc.string().map((text) => `"a${text.replaceAll('"', '""')}"`),
  );
  fc.assert(
    fc.property(fc.array(quoted, { minLength: 1 }), (parts) => {
      const statements = parts.map((part) => `select ${part}`);
      expect(splitStatements(statements.join(';\n')).map(({ text }) => text)).toEqual(statements);
    }),
  );
});

test('PT-07.3, PT-07.8: existing data still works after an upgrade', async () => {
  const instance = await openTestDatabase({ migrated: false });
  const requests = connectDatabase(instance.addressAs('authenticator'), { max: 1 });
  const act = async <T>(who: string, work: (tx: TransactionSql) => Promise<T>) => {
    const { value } = await requests.begin(async (tx) => {
      await switchUser(tx, who);
      return { value: await work(tx) };
    });
    return value;
  };
  const [ada, ben, eve] = [randomUUID(), randomUUID(), randomUUID()] as const;
  try {
    await applyMigrations(instance.sql, migrationsDir, { until: '20261122150000' });
    for (const [id, name] of [
      [ada, 'ada'],
      [ben, 'ben'],
      [eve, 'eve'],
    ] as const) {
      await addUser(instance.sql, id, name);
    }
    const key = randomUUID();
    const original = await act(ada, (tx) => createProject(tx, { id: key, visibility: 'public' }));
    const fork = await act(ben, (tx) =>
      createProject(tx, { id: randomUUID(), visibility: 'public', forkedFrom: original.id }),
    );
    expect([original.id, original.slug.length]).toEqual([key, 10]);
    await instance.sql`update public.projects set visibility = 'private' where id = ${original.id}`;
    await instance.sql`update public.profiles set suspended_at = now() where id = ${eve}`;
    await instance.sql`insert into storage.objects (bucket_id, name)
      values ('avatars', ${`${ada}/../x.png`}), ('avatars', ${`${ada}//x.png`}), ('avatars', ${`${ada}/x.png`})`;
    const [before] =
      await instance.sql`select id, updated_at from public.projects where id = ${key}`;

    await applyMigrations(instance.sql, migrationsDir);
    const [after] =
      await instance.sql`select id, updated_at from public.projects where id = ${key}`;
    expect(after).toEqual(before);
    const [kept] = await instance.sql`
      select forked_from, slug from public.projects where id = ${fork.id}`;
    expect(kept).toEqual({ forked_from: original.id, slug: fork.slug });

    expect([...(await instance.sql`select name from storage.objects`)]).toEqual([
      { name: `${ada}/x.png` },
    ]);

    await act(ada, async (tx) => {
      expect(await createProject(tx, { id: key })).toEqual(original);
      const call = { project: key, client: randomUUID(), base: 1, updates: [createUpdate(1, 'x')] };
      expect(await appendUpdates(tx, call)).toMatchObject({ status: 'saved', seq: 2 });
      const [row] = await tx<{ found: { id: string } }[]>`
        select public.find_project(${original.slug}) as found`;
      expect(row?.found.id).toBe(key);
      const made = await createProject(tx, { id: randomUUID() });
      expect(made.slug).toMatch(/^[a-z0-9]{16}$/);
    });
    await act('anon', async (tx) => {
      const [row] = await tx<
        { found: object }[]
      >`select public.find_project(${fork.slug}) as found`;
      expect(row?.found).toMatchObject({ id: fork.id, forked_from: null });
      const [hidden] = await tx`select public.find_project(${original.slug}) as found`;
      expect(hidden).toEqual({ found: null });
    });
    await act(eve, async (tx) => {
      expect(
        await getRejectionCode(tx, (attempt) => createProject(attempt, { id: randomUUID() })),
      ).toBe('suspended');
    });
  } finally {
    await requests.end();
    await instance.close();
  }
});
