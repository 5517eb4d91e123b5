import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { appOrigin } from '@vitrine/testing/backend';
import { waitForItems, openRealtimeWorld, waitForDelivery, subscribe } from './world.ts';
import type { RealtimeUser, RawSocket, RealtimeWorld } from './world.ts';

let world: RealtimeWorld;
/** Owner, editor and viewer of `project:P`; Bob has no access. */
let ada: RealtimeUser;
let ed: RealtimeUser;
let vic: RealtimeUser;
let bob: RealtimeUser;
const logged: string[] = [];

const logLine = (message: string, fields?: object) =>
  void logged.push(`${message} ${JSON.stringify(fields)}`);

beforeAll(async () => {
  world = await openRealtimeWorld({ log: { info: logLine, warn: logLine, error: logLine } });
  [ada, ed, vic, bob] = await Promise.all([
    world.createUser(),
    world.createUser(),
    world.createUser(),
    world.createUser(),
  ]);
  await world.grantAccess(ada, 'P');
  await world.grantAccess(ed, 'P');
  await world.grantAccess(vic, 'P', { mayWrite: false });
});
afterAll(() => world.close());

const open = (person?: RealtimeUser, name = 'project:P') =>
  world.connect(person).channel(name, { config: { private: true } });

/** Ada's channel, and everything that she receives on it. */
async function listen(name = 'project:P') {
  const channel = open(ada, name);
  const came: unknown[] = [];
  channel.on('broadcast', { event: 'edit' }, ({ payload }) => came.push(payload));
  await subscribe(channel);
  return { channel, came };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in buffers, of the server and of the sockets here. */
function measureBuffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

async function countMessages(): Promise<number> {
  const [row] = await world.test.database.sql<{ count: number }[]>`
    select count(*)::int from realtime.messages`;
  return row?.count ?? -1;
}

/**
 * Sends a canary on the channel, and expects that these sockets do not receive it once the others
 * have.
 */
async function expectSilence(sockets: RawSocket[]): Promise<void> {
  const [{ channel: from }, { channel: to }] = [await listen(), await listen()];
  await from.send({ type: 'broadcast', event: 'edit', payload: { is: 'CANARY' } });
  await waitForDelivery(from, to);
  for (const { frames } of sockets) expect(JSON.stringify(frames)).not.toContain('CANARY');
}

test('RT-01: nobody joins a channel without policies (R-04)', async () => {
  const socket = await world.openSocket();
  const refused = { status: 'error', response: { reason: expect.stringContaining('PrivateOnly') } };
  expect(await socket.join('project:P', undefined, { private: false })).toMatchObject(refused);
  expect(await socket.join('project:P', undefined, {})).toMatchObject(refused);
  expect(await socket.join('project:P', undefined, { private: true })).toMatchObject({
    status: 'error',
    response: { reason: expect.stringContaining('Unauthorized') },
  });
  await expectSilence([socket]);
});

test('RT-02: a stranger cannot join, and a viewer cannot send (R-04, R-08)', async () => {
  const stranger = await subscribe(open(bob));
  expect(stranger.status).toBe('CHANNEL_ERROR');
  expect(stranger.error?.message).toContain('do not have permissions to read');
  const { channel, came } = await listen();
  const viewer = open(vic);
  expect((await subscribe(viewer)).status).toBe('SUBSCRIBED');
  const socket = await world.openSocket();
  await socket.join('project:P', vic.token);
  socket.send([null, 'v', 'realtime:project:P', 'broadcast', { event: 'edit', payload: {} }]);
  expect((await socket.waitForFrame(([, ref]) => ref === 'v'))[4]).toMatchObject({
    status: 'error',
    response: { reason: expect.stringContaining('do not have permissions to write') },
  });
  await viewer.send({ type: 'broadcast', event: 'edit', payload: { by: 'vic' } });
  expect(await viewer.track({ by: 'vic' })).toBe('error');
  const editor = open(ed);
  await subscribe(editor);
  await waitForDelivery(editor, channel);
  expect(came).toEqual([]);
  expect(await countMessages()).toBe(0);
});

test('RT-02: nobody can impersonate another presence (R-12)', async () => {
  const joinAs = async (person: RealtimeUser, key: string) => {
    const socket = await world.openSocket();
    const answer = await socket.join('project:P', person.token, {
      private: true,
      presence: { key },
    });
    return { socket, answer };
  };
  const refusal = { status: 'error', response: { reason: expect.stringContaining('of another') } };
  for (const key of [ada.id, ada.id.toUpperCase()]) {
    expect((await joinAs(ed, key)).answer).toMatchObject(refusal);
  }
  const own = await joinAs(ed, ed.id);
  expect(own.answer).toMatchObject({ status: 'ok' });
  // Nor with another user's token on an open socket.
  const topic = 'realtime:project:P';
  own.socket.send([null, 't', topic, 'access_token', { access_token: ada.token }]);
  expect((await own.socket.waitForFrame(([, , , event]) => event === 'system'))[4]).toMatchObject({
    message: expect.stringContaining('of another'),
  });
});

test('RT-03: sending over HTTP requires the same permissions (R-09)', async () => {
  const { channel, came } = await listen();
  for (const person of [undefined, bob, vic]) {
    for (const isPrivate of [true, false]) {
      const message = { topic: 'project:P', event: 'edit', payload: {}, private: isPrivate };
      const answer = await world.post('', { messages: [message] }, person);
      expect(answer.status).toBe(403);
      const path = `/project:P/events/edit?private=${String(isPrivate)}`;
      expect((await world.post(path, {}, person)).status).toBe(403);
    }
  }
  const unkeyed = await fetch(`${world.origin}/realtime/v1/api/broadcast`, { method: 'POST' });
  expect(unkeyed.status).toBe(401);
  const editor = open(ed);
  await subscribe(editor);
  await waitForDelivery(editor, channel);
  expect(came).toEqual([]);
});

describe('RT-04: a revoked permission', () => {
  test('ends the channel within five seconds (R-07)', async () => {
    const person = await world.createUser();
    await world.grantAccess(person, 'P');
    const channel = open(person);
    const statuses: string[] = [];
    const came: unknown[] = [];
    channel.on('broadcast', { event: 'edit' }, ({ payload }) => came.push(payload));
    await channel.socket.setAuth();
    channel.subscribe((status) => statuses.push(status));
    await waitForItems(statuses, 1);
    const at = performance.now();
    await world.revokeAccess(person, 'P');
    await vi.waitUntil(() => statuses.includes('CLOSED'), { timeout: 5_000, interval: 10 });
    expect(performance.now() - at).toBeLessThan(5_000);
    const { channel: other } = await listen();
    await other.send({ type: 'broadcast', event: 'edit', payload: { is: 'CANARY' } });
    const late = await world.openSocket();
    expect(await late.join('project:P', person.token)).toMatchObject({ status: 'error' });
    expect(came).toEqual([]);
  });

  test('keeps a reader who may no longer write (R-07)', async () => {
    const person = await world.createUser();
    await world.grantAccess(person, 'P');
    const socket = await world.openSocket();
    await socket.join('project:P', person.token, { private: true, broadcast: { ack: true } });
    await world.grantAccess(person, 'P', { mayWrite: false });
    let ref = 0;
    const isRefused = () => {
      socket.send([null, `w${(ref += 1)}`, 'realtime:project:P', 'broadcast', { event: 'edit' }]);
      return socket.frames.some(
        ([, , , , payload]) =>
          payload['status'] === 'error' && JSON.stringify(payload).includes('write to'),
      );
    };
    await vi.waitUntil(isRefused, { timeout: 5_000, interval: 100 });
    expect(socket.frames.some(([, , , event]) => event === 'phx_close')).toBe(false);
  });
});

describe('RT-05: a token', () => {
  test('ends the channel when it expires (R-06)', async () => {
    const person = await world.createUser(3);
    await world.grantAccess(person, 'P');
    const end = Date.now() + 3_000;
    const socket = await world.openSocket();
    expect(await socket.join('project:P', person.token)).toMatchObject({ status: 'ok' });
    await socket.waitForFrame(([, , , event]) => event === 'phx_close', 10_000);
    expect(Math.abs(Date.now() - end)).toBeLessThan(5_000);
    expect(socket.frames.at(-2)?.[4]).toMatchObject({
      status: 'error',
      message: 'Token has expired',
    });
    expect(await socket.join('project:P', person.token)).toMatchObject({
      response: { reason: 'InvalidJWTToken: Token has expired' },
    });
  });

  test('of another user has that user’s permissions (R-06)', async () => {
    const socket = await world.openSocket();
    await socket.join('project:P', ada.token);
    socket.send([null, null, 'realtime:project:P', 'access_token', { access_token: bob.token }]);
    await socket.waitForFrame(([, , , event]) => event === 'phx_close');
    await expectSilence([socket]);
  });

  test('ends the channel when it is invalid (R-06)', async () => {
    const socket = await world.openSocket();
    await socket.join('project:P', ada.token);
    socket.send([
      null,
      null,
      'realtime:project:P',
      'access_token',
      { access_token: `${ada.token}x` },
    ]);
    await socket.waitForFrame(([, , , event]) => event === 'phx_close');
  });
});

describe('RT-10: a socket', () => {
  /** A channel message with wrong lengths in its header. */
  const push = (lengths: number[], text: string, encoding = 1) =>
    Buffer.concat([Buffer.from([3, ...lengths, encoding]), Buffer.from(text)]);
  const deep = `[null,"1","phoenix","heartbeat",{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}]`;

  test.each([
    ['a frame of more than a MiB', () => Buffer.alloc(1024 * 1024 + 1, 0x20), 1009],
    ['text that is not JSON', () => 'hello', 1002],
    ['deeply nested JSON', () => deep, 1002],
    ['an array of four', () => '["1","1","phoenix","heartbeat"]', 1002],
    ['an array of six', () => '["1","1","phoenix","heartbeat",{},1]', 1002],
    ['a payload that is not an object', () => '["1","1","phoenix","heartbeat",[]]', 1002],
    ['a header with too large lengths', () => push([0, 0, 255, 255, 0], 'x', 0), 1002],
    ['a truncated header', () => Buffer.from([3, 1]), 1002],
    ['a frame of another kind', () => Buffer.from([9, 0, 0, 0, 0, 0, 0]), 1002],
    ['a message with invalid JSON', () => push([0, 0, 1, 1, 0], 'ab{'), 1002],
    ['a header that is not UTF-8', () => Buffer.from([3, 0, 0, 1, 1, 0, 0, 0xff, 0x41]), 1002],
  ])('is closed for %s (R-02, R-11)', async (_, make, code) => {
    const socket = await world.openSocket();
    socket.socket.send(make());
    expect(await socket.waitForClose()).toBe(code);
  });

  test('is closed for text that is not UTF-8 (R-02)', async () => {
    const socket = await world.openSocket();
    socket.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect(await socket.waitForClose()).toBe(1007);
  });

  test('leaves the server unaffected (R-11)', async () => {
    for (let round = 0; round < 30; round++) {
      const socket = await world.openSocket();
      socket.socket.send(round % 2 ? deep : Buffer.alloc(1024 * 1024 + 1));
      await socket.waitForClose();
    }
    const { channel } = await listen();
    await waitForDelivery(channel, (await listen()).channel);
  });
});

describe('RT-11: a flood', () => {
  test('of messages ends the sender’s channel, and no others (R-11)', async () => {
    const flooder = await world.createUser();
    await world.grantAccess(flooder, 'P');
    const socket = await world.openSocket();
    await socket.join('project:P', flooder.token);
    const { channel: from } = await listen();
    const { came } = await listen();
    for (let n = 0; n < 1_000; n++) {
      socket.send([null, null, 'realtime:project:P', 'broadcast', { event: 'flood' }]);
    }
    await socket.waitForFrame(([, , , event]) => event === 'phx_close');
    expect(
      socket.frames.some(([, , , , { message }]) => message === 'Too many messages per second'),
    ).toBe(true);
    await from.send({ type: 'broadcast', event: 'edit', payload: { at: 1 } });
    expect(await waitForItems(came, 1)).toEqual([{ at: 1 }]);
  });

  test('of HTTP messages is rejected by whole requests (R-09, R-11)', async () => {
    const flooder = await world.createUser();
    await world.grantAccess(flooder, 'P');
    const { came } = await listen();
    const letter = { topic: 'project:P', event: 'edit', payload: {}, private: true };
    const messages = Array.from({ length: 70 }, () => letter);
    const post = async () => (await world.post('', { messages }, flooder)).status;
    const statuses = await Promise.all(Array.from({ length: 12 }, post));
    expect(new Set(statuses)).toEqual(new Set([202, 429]));
    const { channel: from } = await listen();
    await from.send({ type: 'broadcast', event: 'edit', payload: { at: 'the end' } });
    await vi.waitFor(() => expect(came.at(-1)).toEqual({ at: 'the end' }), { timeout: 8_000 });
    expect(came).toHaveLength(70 * statuses.filter((status) => status === 202).length + 1);
  });

  test('of frames closes the socket (R-11)', async () => {
    const socket = await world.openSocket();
    for (let n = 0; n < 3_000; n++) socket.send([null, null, 'phoenix', 'heartbeat', {}]);
    expect(await socket.waitForClose()).toBe(1008);
  });

  test('of joins is rejected beyond the maximum number of channels (R-11)', async () => {
    const person = await world.createUser();
    const names = Array.from({ length: 101 }, (_, n) => `many-${n}`);
    await world.test.database.sql`
      insert into public.members select name, ${person.id}::uuid, true from unnest(${names}::text[]) name`;
    const socket = await world.openSocket();
    const answers = await Promise.all(
      names.map((name) => socket.join(`project:${name}`, person.token)),
    );
    expect(answers.filter(({ status }) => status === 'ok')).toHaveLength(100);
    expect(JSON.stringify(answers)).toContain('ChannelRateLimitReached');
    const again = await Promise.all(
      Array.from({ length: 200 }, (_, n) => socket.join(`nowhere-${n}`, person.token)),
    );
    expect(again.every(({ status }) => status === 'error')).toBe(true);
    expect(JSON.stringify(again.at(-1))).toContain('ClientJoinRateLimitReached');
  });

  test('of presence updates ends the channel (R-11, R-12)', async () => {
    const socket = await world.openSocket();
    await socket.join('project:P', ed.token);
    for (let n = 0; n < 30; n++) {
      socket.send([
        null,
        null,
        'realtime:project:P',
        'presence',
        { event: 'track', payload: { n } },
      ]);
    }
    await socket.waitForFrame(([, , , event]) => event === 'phx_close');
    expect(JSON.stringify(socket.frames)).toContain('Client presence rate limit exceeded');
  });
});

test('RT-12: a socket that does not read is ended, and others receive everything (R-11)', async () => {
  const [reader, writer] = [await world.openSocket(), await world.createUser()];
  await world.grantAccess(writer, 'big');
  await world.grantAccess(ada, 'big');
  const slow = await world.openSocket();
  await slow.join('project:big', ada.token);
  await reader.join('project:big', ada.token);
  slow.socket.pause();
  const body = Buffer.alloc(200 * 1024, 0x61);
  const head = Buffer.from([3, 0, 0, Buffer.byteLength('realtime:project:big'), 4, 0, 0]);
  const frame = Buffer.concat([head, Buffer.from('realtime:project:bigedit'), body]);
  const from = await world.openSocket();
  await from.join('project:big', writer.token);
  const sizes: number[] = [];
  reader.socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) sizes.push(data.length);
  });
  const count = 180;
  const before = measureBuffers();
  for (let n = 0; n < count; n++) {
    from.send(frame);
    await waitForItems(sizes, n + 1);
  }
  // Of 36 MB. Garbage is freed by a collection or two.
  await vi.waitUntil(() => measureBuffers() - before < 2 * 1024 * 1024, { timeout: 3_000 });
  slow.socket.resume();
  expect(await slow.waitForClose(10_000)).toBe(1006);
  const back = await world.openSocket();
  expect(await back.join('project:big', ada.token)).toMatchObject({ status: 'ok' });
});

test('RT-13: pages of other sites cannot open sockets, and tokens are not logged (R-01)', async () => {
  const statusOf = async (headers: Record<string, string>, query = {}) => {
    const socket = new WebSocket(world.address(query), { headers });
    const opened = once(socket, 'open').then(() => 101);
    const refused = once(socket, 'unexpected-response').then(
      ([, response]: { statusCode?: number }[]) => response?.statusCode,
    );
    const status = await Promise.race([opened, refused]);
    socket.on('error', () => {});
    socket.terminate();
    return status;
  };
  for (const origin of [
    'https://evil.test',
    'https://x.app.test',
    'null',
    `${appOrigin}.evil.test`,
  ]) {
    expect(await statusOf({ origin })).toBe(403);
  }
  expect(await statusOf({ origin: appOrigin })).toBe(101);
  expect(await statusOf({}, { apikey: 'sb_publishable_wrong' })).toBe(401);
  expect(await statusOf({}, { vsn: '3.0.0' })).toBe(400);
  const cookie = `sb-session=${ada.token}`;
  const socket = await world.openSocket({ headers: { cookie } });
  expect(await socket.join('project:P')).toMatchObject({ status: 'error' });
  await socket.join('project:P', ada.token);
  socket.send('nonsense');
  await socket.waitForClose();
  const text = logged.join('\n');
  expect(text).not.toContain(ada.token.slice(-20));
  expect(text).not.toContain(world.test.backend.publishableKey);
});

test('RT-14: rejects confusable channel names (R-03)', async () => {
  await world.grantAccess(ada, 'P/../Q');
  const socket = await world.openSocket();
  const names = [
    'project:P/../Q',
    "project:P'",
    'project:"P"',
    `project:${'P'.repeat(300)}`,
    'project:e\u0301',
    'project:P\u202e',
    'project:P\n',
    ' project:P',
    '*',
    '',
  ];
  for (const name of names) {
    expect(await socket.join(name, ada.token), name).toMatchObject({
      status: 'error',
      response: { reason: expect.stringContaining('TopicNameInvalid') },
    });
  }
  for (const topic of ['phoenix', 'project:P', 'REALTIME:project:P']) {
    const ref = randomUUID();
    socket.send([
      ref,
      ref,
      topic,
      'phx_join',
      { config: { private: true }, access_token: ada.token },
    ]);
    expect((await socket.waitForFrame((frame) => frame[1] === ref))[4]).toMatchObject({
      status: 'error',
    });
  }
  expect(await socket.join('project:P', ada.token)).toMatchObject({ status: 'ok' });
});

test('a policy that throws allows nobody, and does not affect others (R-04)', async () => {
  await world.test.database.sql.unsafe(`
    create policy fails on realtime.messages for select to authenticated
    using (1 / (case realtime.topic() when 'project:broken' then 0 else 1 end) = 2)`);
  const socket = await world.openSocket();
  const answers = await Promise.all(
    ['project:P', 'project:broken', 'project:P/2'].map((name) => socket.join(name, ada.token)),
  );
  expect(answers.map(({ status }) => status)).toEqual(['ok', 'error', 'error']);
  expect(logged.join('\n')).toContain('A policy on realtime.messages failed. {"sqlstate":"22012"}');
});

test('the secret key bypasses policies, the publishable key does not', async () => {
  const { backend } = world.test;
  const connect = (key: string) =>
    createClient(world.origin, key, { auth: { persistSession: false, autoRefreshToken: false } });
  const [service, visitor] = [connect(backend.secretKey), connect(backend.publishableKey)];
  const join = (client: typeof service) =>
    subscribe(client.channel('project:P', { config: { private: true } }));
  expect((await join(service)).status).toBe('SUBSCRIBED');
  expect((await join(visitor)).status).toBe('CHANNEL_ERROR');
  await Promise.all([service.realtime.disconnect(), visitor.realtime.disconnect()]);
});
