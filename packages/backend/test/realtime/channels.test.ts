import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { waitForItems, openRealtimeWorld, waitForDelivery, subscribe } from './world.ts';
import type { RealtimeUser, RealtimeWorld } from './world.ts';

let world: RealtimeWorld;
let ada: RealtimeUser;
let bob: RealtimeUser;

beforeAll(async () => {
  world = await openRealtimeWorld({ publicChannels: true });
  [ada, bob] = await Promise.all([world.createUser(), world.createUser()]);
  for (const project of ['one', 'two', 'three', 'db']) {
    await world.grantAccess(ada, project);
    await world.grantAccess(bob, project);
  }
});
afterAll(() => world.close());

describe.each(['2.0.0', '1.0.0'])('a client of version %s', (vsn) => {
  test('joins, receives messages of others only, and leaves (R-01, R-03, R-05, R-08)', async () => {
    const open = (person: RealtimeUser) =>
      world.connect(person, { vsn }).channel('project:one', { config: { private: true } });
    const [from, to] = [open(ada), open(bob)];
    const [ofSelf, ofOther]: [unknown[], unknown[]] = [[], []];
    from.on('broadcast', { event: 'edit' }, (message) => ofSelf.push(message));
    to.on('broadcast', { event: 'edit' }, (message) => ofOther.push(message));
    expect(await subscribe(from)).toEqual({ status: 'SUBSCRIBED' });
    expect(await subscribe(to)).toEqual({ status: 'SUBSCRIBED' });
    expect(
      await from.send({ type: 'broadcast', event: 'edit', payload: { at: 1, text: 'é🎈' } }),
    ).toBe('ok');
    expect(await waitForItems(ofOther, 1)).toEqual([
      { type: 'broadcast', event: 'edit', payload: { at: 1, text: 'é🎈' } },
    ]);
    await waitForDelivery(to, from);
    expect(ofSelf).toEqual([]);
    expect(await to.unsubscribe()).toBe('ok');
    await from.send({ type: 'broadcast', event: 'edit', payload: { at: 2 } });
    expect(ofOther).toHaveLength(1);
  });

  test('receives its own messages and replies when it requests them (R-08)', async () => {
    const channel = world
      .connect(ada, { vsn })
      .channel('project:two', { config: { private: true, broadcast: { self: true, ack: true } } });
    const own: unknown[] = [];
    channel.on('broadcast', { event: 'edit' }, ({ payload }) => own.push(payload));
    await subscribe(channel);
    expect(await channel.send({ type: 'broadcast', event: 'edit', payload: { at: 1 } })).toBe('ok');
    expect(await waitForItems(own, 1)).toEqual([{ at: 1 }]);
  });

  test('tracks presences that join, change and leave (R-12)', async () => {
    const name = `project:three`;
    const open = (person: RealtimeUser, key: string) =>
      world
        .connect(person, { vsn })
        .channel(name, { config: { private: true, presence: { key } } });
    const [watcher, other] = [open(ada, 'ada'), open(bob, 'bob')];
    const [joins, leaves]: [string[], string[]] = [[], []];
    for (const channel of [watcher, other]) channel.on('presence', { event: 'sync' }, () => {});
    watcher.on('presence', { event: 'join' }, ({ key }) => joins.push(key));
    watcher.on('presence', { event: 'leave' }, ({ key }) => leaves.push(key));
    await subscribe(watcher);
    await subscribe(other);
    const told = (channel: typeof watcher, key: string) =>
      channel.presenceState<{ file?: string }>()[key];
    expect(await watcher.track({ file: 'a.js' })).toBe('ok');
    expect(await other.track({ file: 'b.js' })).toBe('ok');
    await vi.waitUntil(() => told(other, 'ada') && told(watcher, 'bob'));
    expect(told(other, 'ada')).toMatchObject([{ file: 'a.js' }]);
    await other.track({ file: 'c.js' });
    await vi.waitUntil(() => told(watcher, 'bob')?.[0]?.file === 'c.js');
    expect(told(watcher, 'bob')).toHaveLength(1);
    await other.untrack();
    await vi.waitUntil(() => leaves.at(-1) === 'bob' && !told(watcher, 'bob'));
    await other.track({ file: 'd.js' });
    await vi.waitUntil(() => told(watcher, 'bob'));
    await other.unsubscribe();
    await vi.waitUntil(() => !told(watcher, 'bob'));
    expect(joins).toContain('ada');
    await watcher.unsubscribe();
  });
});

test('receives binary messages as bytes, which version 1.0.0 does not (R-02)', async () => {
  const name = `bytes-${randomUUID()}`;
  const [from, to, old] = [
    world.connect().channel(name),
    world.connect().channel(name),
    world.connect(undefined, { vsn: '1.0.0' }).channel(name),
  ];
  const [came, cameOld]: [unknown[], unknown[]] = [[], []];
  to.on('broadcast', { event: '*' }, ({ payload }) => came.push(payload));
  old.on('broadcast', { event: '*' }, ({ payload }) => cameOld.push(payload));
  for (const channel of [from, to, old]) await subscribe(channel);
  const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
  await from.send({ type: 'broadcast', event: 'update', payload: bytes.buffer });
  await from.send({ type: 'broadcast', event: 'text', payload: { is: 'text' } });
  await waitForItems(came, 2);
  expect(new Uint8Array(came[0] as ArrayBuffer)).toEqual(bytes);
  expect(await waitForItems(cameOld, 1)).toEqual([{ is: 'text' }]);
});

test('private and public channels of one name are distinct (R-04)', async () => {
  const open = (isPrivate: boolean) =>
    world.connect(ada).channel('project:one', { config: { private: isPrivate } });
  const [priv, pub] = [open(true), open(false)];
  const leaked: unknown[] = [];
  pub.on('broadcast', { event: 'secret' }, (message) => leaked.push(message));
  const other = world.connect(bob).channel('project:one', { config: { private: false } });
  for (const channel of [priv, pub, other]) await subscribe(channel);
  await priv.send({ type: 'broadcast', event: 'secret', payload: {} });
  await waitForDelivery(other, pub);
  expect(leaked).toEqual([]);
});

test('delivers messages sent over HTTP, by both routes, also binary ones (R-09)', async () => {
  const to = world.connect(bob).channel('project:one', { config: { private: true } });
  const came: unknown[] = [];
  to.on('broadcast', { event: '*' }, ({ event, payload }) => came.push([event, payload]));
  await subscribe(to);
  const client = world.connect(ada);
  await client.realtime.setAuth();
  const unjoined = client.channel('project:one', { config: { private: true } });
  expect(await unjoined.httpSend('saved', { revision: 4 })).toEqual({ success: true });
  expect(await unjoined.httpSend('bytes', Uint8Array.of(1, 2).buffer)).toEqual({ success: true });
  const batch = [{ topic: 'project:one', event: 'saved', payload: { revision: 5 }, private: true }];
  expect((await world.post('', { messages: batch }, ada)).status).toBe(202);
  expect(await waitForItems(came, 3)).toEqual([
    ['saved', { revision: 4 }],
    ['bytes', Uint8Array.of(1, 2).buffer],
    ['saved', { revision: 5 }],
  ]);
  await expect(unjoined.httpSend('saved', {}, { persist: true })).rejects.toThrow(
    'Storing messages is not supported',
  );
});

test('delivers messages of the database on commit, to private channels by default (R-10)', async () => {
  const { sql } = world.test.database;
  await sql.unsafe(`
    create table public.saves (id int primary key, project text, title text);
    create function public.tell_save() returns trigger language plpgsql security definer as $$
    begin
      perform realtime.broadcast_changes('project:' || coalesce(new.project, old.project), 'save', tg_op, tg_table_name, tg_table_schema, new, old);
      return null;
    end $$;
    create trigger tell after insert or update or delete on public.saves
      for each row execute function public.tell_save();
  `);
  const to = world.connect(ada).channel('project:db', { config: { private: true } });
  const came: { event: string; payload: unknown; meta?: { id: string } }[] = [];
  to.on<Record<string, unknown>>('broadcast', { event: '*' }, ({ event, payload, meta }) =>
    came.push({ event, payload, ...(meta ? { meta } : {}) }),
  );
  await subscribe(to);
  await sql
    .begin(async (tx) => {
      await tx`insert into public.saves values (9, 'db', 'never')`;
      throw new Error('rolled back');
    })
    .catch(() => {});
  await sql`insert into public.saves values (1, 'db', 'first')`;
  await sql`select realtime.send('{"n": 1}', 'told', 'project:db', true)`;
  await sql`select realtime.send_binary('\\x0102', 'bytes', 'project:db', true)`;
  await sql`select realtime.send('{}', 'public', 'project:db', false)`;
  await sql`delete from public.saves`;
  await waitForItems(came, 4);
  expect(came.map(({ event }) => event)).toEqual(['save', 'told', 'bytes', 'save']);
  expect(came[0]?.payload).toMatchObject({
    operation: 'INSERT',
    schema: 'public',
    table: 'saves',
    record: { id: 1, project: 'db', title: 'first' },
    old_record: null,
  });
  expect(came[1]?.payload).toEqual({ n: 1, id: came[1]?.meta?.id });
  expect(came[2]?.payload).toEqual(Uint8Array.of(1, 2).buffer);
});

test('accepts a new token without leaving the channel (R-06)', async () => {
  let person = await world.createUser(4);
  await world.grantAccess(person, 'one');
  const client = world.connect(undefined, { token: () => person.token });
  const channel = client.channel('project:one', {
    config: { private: true, broadcast: { self: true } },
  });
  const statuses: string[] = [];
  const came: unknown[] = [];
  channel.on('broadcast', { event: 'later' }, ({ payload }) => came.push(payload));
  await client.realtime.setAuth();
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      statuses.push(status);
      resolve();
    });
  });
  const first = person;
  person = await world.createUser(3_600, first.id);
  await client.realtime.setAuth();
  const end = Number(JSON.parse(atob(first.token.split('.')[1] ?? '')).exp) * 1_000;
  await vi.waitUntil(() => Date.now() > end + 2_000, { timeout: 10_000, interval: 50 });
  await channel.send({ type: 'broadcast', event: 'later', payload: { is: 'there' } });
  expect(await waitForItems(came, 1)).toEqual([{ is: 'there' }]);
  expect(statuses).toEqual(['SUBSCRIBED']);
});

test('rejects unsupported features (R-13)', async () => {
  const socket = await world.openSocket();
  const config = { private: true, broadcast: { replay: { since: 0 } } };
  expect(await socket.join('project:one', ada.token, config)).toMatchObject({
    status: 'error',
    response: { reason: 'UnableToReplayMessages: Replay is not supported' },
  });
  await socket.join('project:one', ada.token);
  socket.send([null, '7', 'realtime:project:one', 'shout', {}]);
  socket.send([null, '8', 'realtime:project:two', 'broadcast', { event: 'x' }]);
  socket.send([null, '9', 'phoenix', 'heartbeat', {}]);
  const reply = async (ref: string) => (await socket.waitForFrame((frame) => frame[1] === ref))[4];
  expect(await reply('7')).toEqual({ status: 'error', response: { reason: 'unknown event' } });
  expect(await reply('8')).toEqual({ status: 'error', response: { reason: 'unmatched topic' } });
  expect(await reply('9')).toEqual({ status: 'ok', response: {} });
});

test('a second join of a channel replaces the first (R-03)', async () => {
  const socket = await world.openSocket();
  await socket.join('project:one', ada.token);
  const first = socket.frames.at(-1)?.[0];
  await socket.join('project:one', ada.token);
  expect(
    socket.frames.filter(([joinRef, , , event]) => joinRef === first && event === 'phx_close'),
  ).toHaveLength(1);
});
