import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RealtimeClient } from '@supabase/supabase-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Frame } from './world.ts';

// Product.md, section 9: how the installed client treats a server that stops responding.

/** A server that can stop responding; the client's clock is simulated, in milliseconds. */
async function openSilentServer() {
  let isSilent = false;
  const heartbeats: number[] = [];
  const attempts: number[] = [];
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    attempts.push(Date.now());
    if (isSilent) socket.destroy();
    else
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened));
  });
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const [joinRef, ref, topic, event] = JSON.parse(data.toString()) as Frame;
      if (event === 'heartbeat') heartbeats.push(Date.now());
      if (isSilent) return;
      const reply: Frame = [joinRef, ref, topic, 'phx_reply', { status: 'ok', response: {} }];
      socket.send(JSON.stringify(reply));
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    heartbeats,
    attempts,
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/realtime/v1`,
    fallSilent: () => (isSilent = true),
    close() {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
    },
  };
}

const stepMs = 50;
const turn = () => new Promise((resolve) => setImmediate(resolve));

let server: Awaited<ReturnType<typeof openSilentServer>>;
let client: RealtimeClient;

beforeEach(async () => {
  server = await openSilentServer();
  client = new RealtimeClient(server.url, { params: { apikey: 'key' } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  void client.disconnect();
  server.close();
});

/** Advances the client's clock, and waits for the network in between. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += stepMs) {
    await vi.advanceTimersByTimeAsync(stepMs);
    do for (let n = 0; n < 3; n++) await turn();
    while (/connecting|closing/.test(client.connectionState()));
  }
}

test('sends a heartbeat every 25 s; without a reply, reconnects after 1, 2, 5 and then every 10 s (R-18)', async () => {
  const statuses: string[] = [];
  client.channel('room').subscribe((status) => statuses.push(status));
  await pass(1_000);
  expect(statuses).toEqual(['SUBSCRIBED']);
  await pass(52_000);
  expect(server.heartbeats).toHaveLength(2);
  const [first = 0, second = 0] = server.heartbeats;
  expect(Math.abs(second - first - 25_000)).toBeLessThanOrEqual(2 * stepMs);
  server.fallSilent();
  await pass(80_000);
  expect(server.heartbeats).toHaveLength(3);
  expect(statuses[1]).toBe('CHANNEL_ERROR');
  const [, ...attempts] = server.attempts;
  const gaps = attempts.map(
    (at, n) => at - (attempts[n - 1] ?? (server.heartbeats[2] ?? 0) + 25_000),
  );
  const wanted = [1_000, 2_000, 5_000, 10_000, 10_000];
  wanted.forEach((ms, n) => expect(Math.abs((gaps[n] ?? 0) - ms)).toBeLessThanOrEqual(500));
});

test('times out a join without a reply after 10 s (R-18)', async () => {
  const statuses: { status: string; at: number }[] = [];
  client.connect();
  await pass(200);
  server.fallSilent();
  const begun = Date.now();
  client.channel('room').subscribe((status) => statuses.push({ status, at: Date.now() - begun }));
  await pass(9_900);
  expect(statuses).toEqual([]);
  await pass(200);
  expect(statuses[0]?.status).toBe('TIMED_OUT');
  expect(statuses[0]?.at).toBe(10_000);
});
