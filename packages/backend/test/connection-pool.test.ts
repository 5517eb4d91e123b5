import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, isConnectionError } from '../src/postgres/index.ts';
import { openTestDatabase, type TestDatabase } from '@vitrine/testing/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase({ migrated: false });
  await database.sql`create table public.entries (name text)`;
});
afterAll(() => database.close());

/** Ends a connection on the server, and waits until its process is gone. */
const terminate = (pid: number) => database.sql`select pg_terminate_backend(${pid}, 5000)`;

const failsToConnect = (query: PromiseLike<unknown>) =>
  Promise.resolve(query).then(() => false, isConnectionError);

test('a reserved connection that breaks fails its queries, without ending the process', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  const session = await sql.reserve();
  const [mine] = await session<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await terminate(mine?.pid ?? 0);
  await expect.poll(() => failsToConnect(session`select 1`)).toBe(true);
  expect(await failsToConnect(session`select 1`)).toBe(true);
  session.release();
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  await sql.end({ timeout: 0 });
});

test('a transaction whose connection breaks is rejected, without ending the process', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  for (const inSavepoint of [false, true]) {
    const transaction = sql.begin(async (tx) => {
      const work = (inner: typeof tx) => inner`select pg_terminate_backend(pg_backend_pid())`;
      await (inSavepoint ? tx.savepoint(work) : work(tx));
    });
    expect(await failsToConnect(transaction)).toBe(true);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  }
  await sql.end({ timeout: 0 });
});

test('a transaction whose connection broke runs no statement on the next one', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  const lastStatement = Promise.withResolvers<unknown>();
  const transaction = sql.begin(async (tx) => {
    await tx`insert into public.entries values ('before')`;
    const [mine] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const next = sql`select 1`.execute();
    await terminate(mine?.pid ?? 0);
    await next;
    lastStatement.resolve(tx`insert into public.entries values ('after')`);
    await lastStatement.promise;
  });
  expect(await failsToConnect(transaction)).toBe(true);
  expect(await failsToConnect(lastStatement.promise)).toBe(true);
  expect(await sql`select name from public.entries`).toEqual([]);
  await sql.end({ timeout: 0 });
});

test('a connection that breaks with an unsent query is replaced', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  let pid = 0;
  /** Turns of the event loop with a query, after the first that failed. */
  let turnsLeft = 100;
  let isBroken = false;
  const sendQuery = () =>
    sql<{ pid: number }[]>`select pg_backend_pid() as pid`.then(
      ([row]) => (pid = row?.pid ?? 0),
      () => (isBroken = true),
    );
  const sendQueries = async () => {
    while (turnsLeft > 0) {
      if (isBroken) turnsLeft -= 1;
      void sendQuery();
      // The driver writes a query in the next turn of the event loop. This continues after that and
      // sends another, so that one is unwritten whenever the socket may close.
      for (let count = 0; count < 10; count += 1) await Promise.resolve();
      await setImmediate();
    }
  };
  const sending = sendQueries();
  await expect.poll(() => pid).toBeGreaterThan(0);
  await terminate(pid);
  await sending;
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  await sql.end({ timeout: 0 });
});

test('a savepoint undoes its own statements, and those of savepoints in it', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  const error = new Error('undone on purpose');
  await sql.begin(async (tx) => {
    await tx`create temporary table steps (name text) on commit preserve rows`;
    await tx.savepoint((inner) => inner`insert into steps values ('kept')`);
    const undone = tx.savepoint(async (outer) => {
      await outer`insert into steps values ('outer')`;
      await outer.savepoint((inner) => inner`insert into steps values ('inner')`);
      throw error;
    });
    await expect(undone).rejects.toBe(error);
  });
  expect(await sql`select name from steps`).toEqual([{ name: 'kept' }]);
  await sql.end();
});

test('a transaction with a failed statement is rejected, also if the error was caught', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  const transaction = sql.begin(async (tx) => {
    await tx`insert into public.entries values ('undone')`;
    await tx`select 1 / 0`.catch(() => {});
  });
  await expect(transaction).rejects.toThrow('rolled back');
  expect(await sql`select name from public.entries`).toEqual([]);
  await sql.end();
});

test('a pool that ends finishes what it has begun, and rejects what comes later', async () => {
  const sql = connectDatabase(database.address, { max: 1 });
  const started = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    started.resolve();
    await tx`select pg_sleep(0.1)`;
    return await tx`select 1 as one`;
  });
  await started.promise;
  const waiting = sql`select 2 as two`.execute();
  // Its query is sent in a microtask.
  await Promise.resolve();
  const ended = sql.end();
  expect(await failsToConnect(sql`select 3`)).toBe(true);
  expect(await transaction).toEqual([{ one: 1 }]);
  expect(await waiting).toEqual([{ two: 2 }]);
  await ended;
});

test('a query gets no connection that closes because it was idle', async () => {
  const idleMs = 20;
  const sql = connectDatabase(database.address, { max: 2, idle_timeout: idleMs / 1_000 });
  // Each round begins while the connections of the last one time out.
  for (let round = 0; round < 100; round += 1) {
    const rows = await Promise.all([sql`select 1 as one`, sql`select 1 as one`]);
    expect(rows).toEqual([[{ one: 1 }], [{ one: 1 }]]);
    await delay(idleMs);
  }
  await sql.end();
});
