import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FrameError, parseFrame } from '../../src/realtime/frames.ts';
import { parseJoinConfig } from '../../src/realtime/join-config.ts';
import { realtimeLimits } from '../../src/realtime/limits.ts';
import { parseFilters } from '../../src/realtime/row-filters.ts';
import { createFuzzParameters } from '../fuzz-settings.ts';
import { openRealtimeWorld } from './world.ts';
import type { RealtimeUser, RealtimeWorld } from './world.ts';

let world: RealtimeWorld;
let ada: RealtimeUser;
beforeAll(async () => {
  world = await openRealtimeWorld();
  ada = await world.createUser();
  await world.grantAccess(ada, 'P');
});
afterAll(() => world.close());

/** Anything, or a valid frame with some bytes changed, cut off or duplicated. */
const good = [
  Buffer.from('["1","2","realtime:project:P","phx_join",{"config":{"private":true}}]'),
  Buffer.from(
    '["1","3","realtime:project:P","broadcast",{"type":"broadcast","event":"e","payload":{}}]',
  ),
  Buffer.from('["1","4","realtime:project:P","presence",{"event":"track","payload":{"a":1}}]'),
  Buffer.from('{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"1"}'),
  Buffer.concat([Buffer.from([3, 1, 1, 18, 1, 0, 1]), Buffer.from('11realtime:project:Pe{"a":1}')]),
];
const near = fc
  .tuple(
    fc.constantFrom(...good),
    fc.array(fc.tuple(fc.nat(100), fc.nat(255)), { maxLength: 6 }),
    fc.nat(120),
  )
  .map(([frame, changes, length]) => {
    const bytes = Buffer.from(frame);
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
    return bytes.subarray(0, length > 100 ? undefined : length);
  });
const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const frames = fc.oneof(near, anything);

test('parses any input as a frame or a FrameError (R-02)', () => {
  fc.assert(
    fc.property(
      frames,
      fc.boolean(),
      fc.constantFrom('1.0.0', '2.0.0'),
      (bytes, isBinary, version) => {
        try {
          const frame = parseFrame(version, bytes, isBinary);
          expect(typeof frame.topic).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
        }
      },
    ),
    createFuzzParameters(5_000, 0.05),
  );
});

test('accepts, ignores or rejects any join config (R-13, R-16)', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, filter) => {
      const changes = [{ event: '*', schema: 'public', table: 'notes', filter }, value];
      for (const config of [
        value,
        { broadcast: value, presence: value, postgres_changes: changes },
      ]) {
        try {
          expect(parseJoinConfig({ config }).subscriptions.length).toBeLessThanOrEqual(20);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }
    }),
    createFuzzParameters(2_000, 0.05),
  );
});

test('parses a filter as the client formats it (R-16)', () => {
  const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }), (values) => {
      const text = `a=in.(${values.map(quote).join(',')}),b=not.eq.${quote(values[0] ?? '')}`;
      expect(parseFilters(text)).toEqual([
        { column: 'a', op: 'in', value: values, negate: false },
        { column: 'b', op: 'eq', value: values[0], negate: true },
      ]);
    }),
    createFuzzParameters(2_000, 0.05),
  );
});

test('malformed frames do not affect other sockets (R-02, R-11)', async () => {
  const witness = await world.openSocket();
  await witness.join('project:P', ada.token);
  await fc.assert(
    fc.asyncProperty(
      fc.array(frames, { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      async (sent, isBinary) => {
        const socket = await world.openSocket();
        await socket.join('project:P', ada.token);
        for (const frame of sent) socket.socket.send(frame, { binary: isBinary });
        socket.socket.close();
        await socket.waitForClose();
        // However long this takes: a silent socket is ended after a minute.
        witness.send([null, 'beat', 'phoenix', 'heartbeat', {}]);
      },
    ),
    createFuzzParameters(60, 0.85),
  );
  witness.send([null, 'alive', 'phoenix', 'heartbeat', {}]);
  expect((await witness.waitForFrame(([, ref]) => ref === 'alive'))[4]).toMatchObject({
    status: 'ok',
  });
});

test('PT-01.9: limits the sockets of loopback like those of any address', async () => {
  const sockets: WebSocket[] = [];
  const refusals: string[] = [];
  while (refusals.length === 0 && sockets.length <= realtimeLimits.maxSocketsPerAddress) {
    const opening = Array.from({ length: 100 }, () => new WebSocket(world.address()));
    sockets.push(...opening);
    await Promise.all(
      opening.map(async (socket) => {
        socket.once('error', ({ message }) => refusals.push(message));
        await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
      }),
    );
  }
  for (const socket of sockets) socket.terminate();
  expect(new Set(refusals)).toEqual(new Set(['Unexpected server response: 429']));
});
