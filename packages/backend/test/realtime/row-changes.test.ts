import type { RealtimePostgresChangesPayload, SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { waitForItems, openRealtimeWorld, subscribe } from './world.ts';
import type { RealtimeUser, RealtimeWorld } from './world.ts';

let world: RealtimeWorld;
let ada: RealtimeUser;
let bob: RealtimeUser;
let nextId = 1;

beforeAll(async () => {
  world = await openRealtimeWorld({ publicChannels: true });
  [ada, bob] = await Promise.all([world.createUser(), world.createUser()]);
});
afterAll(() => world.close());

type Change = RealtimePostgresChangesPayload<Record<string, unknown>>;

interface Wish {
  event?: '*' | 'INSERT' | 'UPDATE' | 'DELETE';
  schema?: string;
  table?: string;
  filter?: string;
  select?: string[];
}

/** Subscribes to `notes` on its own channel and records changes. */
async function follow(client: SupabaseClient, wish: Wish = {}) {
  const channel = client.channel(`follow-${(nextId += 1)}`);
  const changes: Change[] = [];
  const system: { status: string; message: string }[] = [];
  channel.on('system', {}, (payload: (typeof system)[0]) => system.push(payload));
  channel.on<Record<string, unknown>>(
    'postgres_changes',
    { event: '*', schema: 'public', table: 'notes', ...wish } as { event: '*'; schema: string },
    (change) => changes.push(change),
  );
  const { status } = await subscribe(channel);
  expect(status).toBe('SUBSCRIBED');
  await waitForItems(system, 1);
  return { channel, changes, system };
}

const write = (person: RealtimeUser, body: string, size = '1') => {
  const id = (nextId += 1);
  return world.test.database.sql`
    insert into public.notes (id, owner, body, secret, size)
    values (${id}, ${person.id}, ${body}, 'CANARY', ${size}) returning id`.then(() => id);
};

test('delivers only visible rows, with the columns of the user’s role (R-14, R-15)', async () => {
  const [ofAda, ofBob, ofVisitor] = [
    await follow(world.connect(ada)),
    await follow(world.connect(bob)),
    await follow(world.connect()),
  ];
  const { sql } = world.test.database;
  const id = await write(ada, 'first', '9007199254740993');
  await waitForItems(ofAda.changes, 1);
  await sql`update public.notes set body = 'second' where id = ${id}`;
  await write(bob, 'of bob');
  await waitForItems(ofAda.changes, 2);
  await sql`delete from public.notes where id = ${id}`;
  const changes = await waitForItems(ofAda.changes, 3);
  expect(changes.map(({ eventType }) => eventType)).toEqual(['INSERT', 'UPDATE', 'DELETE']);
  expect(changes[0]).toMatchObject({
    schema: 'public',
    table: 'notes',
    errors: null,
    new: { id, owner: ada.id, body: 'first' },
    old: {},
  });
  expect(changes[0]?.new).not.toHaveProperty('secret');
  expect(changes[1]).toMatchObject({ new: { id, body: 'second' }, old: { id } });
  expect(changes[2]).toMatchObject({ new: {}, old: { id } });
  expect(Object.keys(changes[2]?.old ?? {})).toEqual(['id']);
  const bobs = await waitForItems(ofBob.changes, 2);
  expect(bobs.map((change) => [change.eventType, (change.new as { body?: string }).body])).toEqual([
    ['INSERT', 'of bob'],
    ['DELETE', undefined],
  ]);
  expect(ofVisitor.changes).toEqual([]);
  expect(JSON.stringify([ofAda.changes, ofBob.changes])).not.toContain('CANARY');
});

test('filters by event, column and value (R-16)', async () => {
  const client = world.connect(ada);
  const big = await follow(client, { filter: 'size=gte.10,body=not.in.("a,b",c)' });
  const named = await follow(client, { filter: 'body=like.x%', event: 'INSERT' });
  const narrow = await follow(client, { select: ['body'] });
  const all = await follow(client, { table: '*' });
  for (const [body, size] of [
    ['a,b', '20'],
    ['c', '20'],
    ['x1', '5'],
    ['x2', '20'],
  ] as const) {
    await write(ada, body, size);
  }
  await waitForItems(all.changes, 4);
  const bodies = ({ changes }: { changes: Change[] }) =>
    changes.map((change) => (change.new as { body: string }).body);
  await vi.waitFor(() => expect(bodies(big)).toEqual(['x2']));
  await vi.waitFor(() => expect(bodies(named)).toEqual(['x1', 'x2']));
  await waitForItems(narrow.changes, 4);
  expect(Object.keys(narrow.changes[0]?.new ?? {}).toSorted()).toEqual(['body', 'id']);
});

test('reports an invalid subscription, without revealing unpublished tables (R-16)', async () => {
  const client = world.connect(ada);
  const messages = await Promise.all(
    [
      { table: 'members' },
      { filter: 'secret=eq.CANARY' },
      { filter: 'size=eq.many' },
      { filter: 'body=match.(a+)\\1' },
      { filter: 'nonsense' },
    ].map(async (wish) => (await follow(client, wish)).system[0]),
  );
  for (const message of messages) {
    expect(message).toMatchObject({ status: 'error' });
    expect(message?.message).toContain('Unable to subscribe to changes with given parameters');
  }
});

test('delivers no rolled-back changes, and those of a transaction in order (R-17)', async () => {
  const { changes } = await follow(world.connect(ada));
  const { sql } = world.test.database;
  await sql
    .begin(async (tx) => {
      await tx`insert into public.notes (id, owner, body) values (${(nextId += 1)}, ${ada.id}, 'never')`;
      throw new Error('back');
    })
    .catch(() => {});
  const first = nextId + 1;
  nextId += 250;
  await sql`
    insert into public.notes (id, owner, body)
    select n, ${ada.id}, 'many' from generate_series(${first}::int, ${first + 249}::int) n`;
  const told = await waitForItems(changes, 250);
  expect(told.map((change) => (change.new as { id: number }).id)).toEqual(
    Array.from({ length: 250 }, (_, n) => first + n),
  );
});

test('follows a newly published table with the next subscription (R-16)', async () => {
  const { sql } = world.test.database;
  await sql.unsafe(`
    create table public.later (id int primary key, body text);
    grant select on public.later to authenticated;
    alter publication supabase_realtime add table public.later`);
  const { changes, system } = await follow(world.connect(ada), { table: 'later' });
  expect(system[0]).toMatchObject({ status: 'ok', message: 'Subscribed to PostgreSQL' });
  await sql`insert into public.later values (1, 'there')`;
  expect((await waitForItems(changes, 1))[0]?.new).toEqual({ id: 1, body: 'there' });
});

test('finds published tables with any join order, without access to other tables (R-16)', async () => {
  const { sql } = world.test.database;
  const troubles = await sql.begin(async (tx) => {
    // The view of published tables then starts with all tables, including those of pg_toast.
    await tx`set local from_collapse_limit = 1`;
    await tx`set local join_collapse_limit = 1`;
    await tx`set local role supabase_realtime_admin`;
    return tx`select vitrine_backend.follow_publication()`;
  });
  expect([...troubles]).toEqual([]);
});

test('delivers changes after a short interruption, once (R-17)', async () => {
  const { changes } = await follow(world.connect(ada));
  const { sql } = world.test.database;
  const before = await write(ada, 'before');
  await waitForItems(changes, 1);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = 'supabase_realtime_admin'`;
  const ids = [before];
  for (const body of ['lost', 'lost too']) ids.push(await write(ada, body));
  await vi.waitUntil(() => changes.length >= 3, { timeout: 15_000, interval: 20 });
  ids.push(await write(ada, 'after'));
  await vi.waitUntil(() => changes.length >= 4, { timeout: 8_000, interval: 20 });
  expect(changes.map((change) => (change.new as { id: number }).id)).toEqual(ids);
});

test('writes nothing without a server, and needs no replication slot (R-17)', async () => {
  const { sql } = world.test.database;
  await sql`update realtime.listeners set seen_at = now() - interval '6 minutes'`;
  await sql`delete from realtime.outbox`;
  await sql.begin(async (tx) => {
    await tx`update realtime.listeners set seen_at = now() - interval '6 minutes'`;
    await tx`insert into public.notes (id, owner, body) values (${(nextId += 1)}, ${ada.id}, 'unheard')`;
    const [row] = await tx<{ count: number }[]>`select count(*)::int from realtime.outbox`;
    expect(row?.count).toBe(0);
  });
  expect(
    await sql`select from pg_replication_slots where database = current_database()`,
  ).toHaveLength(0);
});
