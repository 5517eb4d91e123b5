import { createHash, randomUUID } from 'node:crypto';
import type { RealtimeChannel } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signUpConfirmed } from '@vitrine/testing/backend';
import { waitForItems, openRealtimeWorld, subscribe } from './world.ts';
import type { RealtimeUser, RealtimeWorld } from './world.ts';

let world: RealtimeWorld;
let beside: RealtimeWorld;
let ada: RealtimeUser;
let bob: RealtimeUser;

beforeAll(async () => {
  world = await openRealtimeWorld();
  [ada, bob] = await Promise.all([world.createUser(), world.createUser()]);
  for (const person of [ada, bob]) await world.grantAccess(person, 'P');
});
afterAll(() => world.close());

/** Joins the project's channel like the app does; records what is received. */
async function enter(at: RealtimeWorld, person: RealtimeUser) {
  const config = { private: true, presence: { key: person.id } };
  const channel = at.connect(person).channel('project:P', { config });
  const told: unknown[] = [];
  const leaves: string[] = [];
  channel.on('presence', { event: 'sync' }, () => {});
  channel.on('presence', { event: 'leave' }, ({ key }) => leaves.push(key));
  channel.on('broadcast', { event: 'edit' }, ({ payload }) => told.push(payload['at']));
  expect((await subscribe(channel)).status).toBe('SUBSCRIBED');
  await channel.track({});
  return { channel, told, leaves };
}

const patience = { timeout: 20_000, interval: 10 };
const expectThere = (channel: RealtimeChannel, people: readonly RealtimeUser[]) =>
  vi.waitFor(() => {
    const there = Object.entries(channel.presenceState());
    const places = Object.fromEntries(there.map(([id, of]) => [id, of.length]));
    expect(places).toEqual(Object.fromEntries(people.map(({ id }) => [id, 1])));
  }, patience);

test('members of one channel on two servers see and hear each other (R-21)', async () => {
  const first = await enter(world, ada);
  beside = await world.openSecondServer();
  const second = await enter(beside, bob);
  for (const { channel } of [first, second]) await expectThere(channel, [ada, bob]);

  await second.channel.send({ type: 'broadcast', event: 'edit', payload: { at: 1 } });
  await second.channel.send({
    type: 'broadcast',
    event: 'edit',
    payload: { at: 'x'.repeat(9_000) },
  });
  expect(await waitForItems(first.told, 2)).toEqual([1, 'x'.repeat(9_000)]);
  const letter = { topic: 'project:P', event: 'edit', payload: { at: 3 }, private: true };
  expect((await world.post('', { messages: [letter] }, ada)).status).toBe(202);
  expect(await waitForItems(second.told, 1)).toEqual([3]);
  // The sender does not receive it from another server either.
  expect(second.told).toEqual([3]);

  await second.channel.unsubscribe();
  await expectThere(first.channel, [ada]);
  expect(first.leaves).toEqual([bob.id]);
  await first.channel.unsubscribe();
});

test('rejects what the database cannot store, and still relays other messages (R-13, R-21)', async () => {
  const first = await enter(world, ada);
  const { join, send, waitForFrame } = await beside.openSocket();
  const config = (key: string) => ({ private: true, presence: { enabled: true, key } });
  for (const key of ['a\0', '\ud800']) {
    const refused = await join('project:P', bob.token, config(key));
    expect(JSON.stringify(refused)).toContain('presence key is not valid text');
  }
  await join('project:P', bob.token, config(bob.id));
  const tell = (ref: string, event: string) =>
    send([null, ref, 'realtime:project:P', 'broadcast', { event, payload: { at: ref } }]);
  tell('a', 'edit\0');
  const answer = await waitForFrame((frame) => frame[1] === 'a');
  expect(answer[4]).toMatchObject({ status: 'error' });
  tell('b', 'edit');
  expect(await waitForItems(first.told, 1)).toEqual(['b']);
  const letter = { topic: 'project:P', event: 'edit\0', payload: {}, private: true };
  expect((await beside.post('', { messages: [letter] }, bob)).status).toBe(422);
  await first.channel.unsubscribe();
});

test('removes the presences of a server that ended, also without notice (R-21)', async () => {
  const first = await enter(world, ada);
  await enter(beside, bob);
  const { sql } = world.test.database;
  const [ghost, server] = [randomUUID(), randomUUID()];
  const told = { isJson: true, presences: [{ key: ghost, ref: 'r', meta: '{"phx_ref":"r"}' }] };
  await sql`
    insert into realtime.listeners (id, seen_at) values (${server}, now() - interval '13 seconds')`;
  await sql`
    with told as (
      insert into realtime.outbox (sender, topic, private, told)
      values (${server}, 'project:P', true, ${sql.json(told)}) returning xact
    ) select pg_notify('realtime', 'relay ' || xact || ' ' || ${server}::text) from told`;
  for (const id of [bob.id, ghost]) {
    await vi.waitFor(() => expect(first.channel.presenceState()).toHaveProperty(id), patience);
  }
  await beside.close();
  await expectThere(first.channel, [ada]);
});

test('PT-02.9: a session that ends on one server ends its sockets on another at once', async () => {
  const elsewhere = await world.openSecondServer();
  const { client } = await signUpConfirmed(world.test, 'carol@example.com');
  const { data: made, error } = await client.rpc('create_project', {
    id: randomUUID(),
    title: 'Hers',
    description: '',
    visibility: 'private',
    settings: {},
    files: [{ path: 'index.html', content: '' }],
    state: 'AA==',
    state_sha256: createHash('sha256').update(Buffer.alloc(1)).digest('hex'),
  });
  expect(error).toBeNull();
  const topic = `project:${made.id}`;
  let waitedMs = 0;
  // Permissions are refreshed every 2 s anyway: of three rounds that depended on it, two would take
  // longer.
  for (let round = 0; round < 3; round += 1) {
    const device = world.test.openBrowser();
    const credentials = { email: 'carol@example.com', password: 'correct horse battery' };
    const { data } = await device.client.auth.signInWithPassword(credentials);
    const token = data.session?.access_token ?? '';
    const socket = await elsewhere.openSocket();
    expect(await socket.join(topic, token)).toMatchObject({ status: 'ok' });
    const at = performance.now();
    await device.client.auth.signOut();
    await socket.waitForFrame(([, , , event]) => event === 'phx_close');
    waitedMs += performance.now() - at;
    expect(await socket.join(topic, token)).toMatchObject({ status: 'error' });
  }
  expect(waitedMs).toBeLessThan(3_000);
  await elsewhere.close();
});
