import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/rest/index.ts';
import { RestError } from '../../src/rest/rest-error.ts';
import { openSessionPool } from '../../src/rest/session-pool.ts';
import { runRead, runTransaction } from '../../src/rest/transaction.ts';
import { openLibrary, createUserId, type Library } from './library.ts';

let library: Library;
beforeAll(async () => {
  library = await openLibrary({ sessions: 4 });
  await library.sql`
    insert into public.books (owner_id, title, is_public)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'of ' || n, false
    from generate_series(1, 80) n`;
}, 60_000);
afterAll(() => library.close());

const json = { 'content-type': 'application/json' };

/** Requests that fail in every possible phase, or that are rejected without the database. */
const failing: ((person: string) => Promise<Response>)[] = [
  (as) => library.request('books?id=eq.notanumber', { as }),
  (as) => library.request('books?title=match.x', { as }),
  (as) => library.request('secrets', { as }),
  (as) => library.request('rpc/refuse?code=P0001', { as }),
  (as) =>
    library.request('rpc/refuse', { as, method: 'POST', body: '{"code":"PT409"}', headers: json }),
  (as) => library.request('books', { as, method: 'POST', body: '{"title":""}', headers: json }),
  (as) =>
    library.request('books?id=lt.9', { as, method: 'DELETE', headers: { prefer: 'tx=rollback' } }),
  (as) => library.request(`books?select=${as.slice(-2)}x:id&limit=1&id=eq.zzz`, { as }),
];

/** Reads a user's private books, with a request that depends on their number. */
async function lookAround(number: number): Promise<unknown> {
  const as = createUserId(number);
  if (number % 4 === 0) {
    const response = await library.request('rpc/whoami', {
      as,
      method: 'POST',
      body: '{}',
      headers: json,
    });
    return ((await response.json()) as { sub: string }).sub === as
      ? [{ title: `of ${number}` }]
      : 'another';
  }
  if (number % 4 === 1) {
    const response = await library.request(`books?is_public=is.false&title=like.of*`, {
      as,
      method: 'PATCH',
      body: '{"pages":7}',
      headers: { ...json, prefer: 'return=representation' },
    });
    return ((await response.json()) as { title: string }[]).map(({ title }) => ({ title }));
  }
  const alias = number % 4 === 2 ? 'title' : `title,n${number}:id`; // every other text is new to the connection
  const response = await library.request(`books?is_public=is.false&select=${alias}`, { as });
  return ((await response.json()) as { title: string }[]).map(({ title }) => ({ title }));
}

const cut = async () => {
  await library.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where usename = 'authenticator' and datname = current_database()`;
};

async function lookAsVisitor(): Promise<unknown> {
  const response = await library.request('books?is_public=is.false');
  return await response.json();
}

describe('concurrent users on few connections', () => {
  test('80 of them see only their own rows, between failing requests (BF-1)', async () => {
    for (let round = 0; round < 5; round++) {
      const seen = await Promise.all(
        Array.from({ length: 80 }, async (_, index) => {
          const number = index + 1;
          const fail = failing[(number + round) % failing.length];
          const [looked, visible] = await Promise.all([
            lookAround(number),
            lookAsVisitor(),
            fail?.(createUserId(number)),
          ]);
          expect(visible).toEqual([]);
          return looked;
        }),
      );
      expect(seen).toEqual(
        Array.from({ length: 80 }, (_, index) => [{ title: `of ${index + 1}` }]),
      );
    }
  }, 60_000);

  test('replaces broken connections, and no request gets the response of another', async () => {
    for (let round = 0; round < 5; round++) {
      const [seen] = await Promise.all([
        Promise.all(Array.from({ length: 40 }, (_, index) => tryToLook(index + 1))),
        cut(),
      ]);
      for (const [index, titles] of seen.entries()) {
        if (titles !== 'unavailable') expect(titles).toEqual([`of ${index + 1}`]);
      }
    }
    await expect.poll(() => tryToLook(7)).toEqual(['of 7']);
  }, 60_000);
});

async function tryToLook(number: number): Promise<string[] | 'unavailable'> {
  const response = await library.request('books?is_public=is.false&select=title', {
    as: createUserId(number),
  });
  if (response.status === 503) return 'unavailable';
  const rows = (await response.json()) as { title: string }[];
  return rows.map(({ title }) => title);
}

function refuse(): never {
  throw new RestError(406, 'PGRST116', 'refused');
}

test('keeps no state of a request in a session: no role, claims or transaction', async () => {
  const pool = openSessionPool(library.database.addressAs('authenticator'), 1);
  const caller: Caller = { role: 'authenticated', claims: { sub: createUserId(1) } };
  const context = { method: 'GET', path: '/x', headers: '{}' };
  const path = { searchPath: 'public, extensions' };
  const good = { text: 'select 1 as rows', values: [] };
  const bad = { text: 'select 1 / $1::int as rows', values: ['0'] };
  const end = { readOnly: false, commit: true, accept() {} };
  for (const statement of [good, bad]) {
    await pool
      .use(caller, (session) => runRead(session, caller, path, context, statement))
      .catch(String);
    for (const accept of [() => {}, refuse]) {
      await pool
        .use(caller, (session) =>
          runTransaction(session, caller, path, context, statement, { ...end, accept }),
        )
        .catch(String);
    }
    const [left] = await pool.use(
      caller,
      async ({ sql }) =>
        await sql`
        select current_user as "user", current_setting('transaction_read_only') as "readOnly",
          nullif(current_setting('request.jwt.claims', true), '') as claims,
          nullif(current_setting('request.path', true), '') as path,
          pg_backend_pid() as pid`,
    );
    // A statement outside of its transaction would be a visitor's, and could not write.
    const nothing = { claims: null, path: null };
    expect(left).toMatchObject({ user: 'anon', readOnly: 'on', ...nothing });
    const [activity] = await library.sql`
      select state from pg_stat_activity where pid = ${Number(left?.['pid'])}`;
    expect(activity).toEqual({ state: 'idle' });
  }
  await pool.close();
});

test('limits the prepared statements of a connection', async () => {
  const few = await openLibrary({ sessions: 1 });
  const kept = async (): Promise<string[]> => {
    const response = await few.request('rpc/statements');
    return (await response.json()) as string[];
  };
  let most = 0;
  for (let count = 0; count < 700; count++) {
    await few.request(`tags?select=a${count}:id&limit=1`);
    if (count % 50 === 49) most = Math.max(most, (await kept()).length);
  }
  expect(most).toBeGreaterThan(100);
  expect(most).toBeLessThanOrEqual(305);
  // Nor a long one: 300 columns with their own names.
  const items = Array.from({ length: 300 }, (_, count) => `${'long'.repeat(6)}${count}:id`);
  expect((await few.request(`tags?select=${items.join(',')}`)).status).toBe(200);
  expect((await kept()).filter((text) => text.includes('longlong'))).toEqual([]);
  await few.close();
}, 60_000);

test('PT-03: slow requests of one visitor leave sessions to other visitors and users', async () => {
  const pool = openSessionPool(library.database.addressAs('authenticator'), 10);
  const started: string[] = [];
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const use = (name: string, caller: Caller) =>
    pool.use(caller, async () => {
      started.push(name);
      await finished;
    });
  const visitor = (rateLimitKey: string): Caller => ({ role: 'anon', claims: {}, rateLimitKey });
  const all = Array.from({ length: 50 }, () => use('slow', visitor('192.0.2.1')));
  all.push(use('quiet', visitor('192.0.2.2')));
  const user: Caller = { role: 'authenticated', claims: { sub: createUserId(1) } };
  all.push(use('quiet', visitor('2001:db8:1:2')), use('user', user));
  await expect.poll(() => started.length).toBe(7);
  expect(started).toEqual([...Array<string>(4).fill('slow'), 'quiet', 'quiet', 'user']);
  // All visitors together have their share; then who has the fewest is next.
  all.push(use('next', visitor('192.0.2.3')));
  finish();
  await Promise.all(all);
  expect(started.indexOf('next')).toBe(7);
  await pool.close();
});
