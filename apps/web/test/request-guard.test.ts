import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRequestGuard, MeteredMessage, type GuardLimits } from '../server/request-guard.ts';
import { createRouteFinder, listRouteLimits } from '../server/route-limits.ts';

const kibibyte = 1024;
const limits: GuardLimits = {
  connectionsPerClient: 10,
  heldBytesPerClient: 64 * kibibyte,
  heldBytes: 160 * kibibyte,
  minBytesPerSecond: 10 * kibibyte,
  speedWindowMs: 200,
};

interface Rig {
  readonly port: number;
  /** Requests whose body a handler is reading. */
  readonly reading: Set<string>;
  /** Requests whose body a handler couldn't read to its end. */
  readonly failed: Set<string>;
}

let server: Server<typeof MeteredMessage> | undefined;
let guard: ReturnType<typeof createRequestGuard> | undefined;

/** Starts a server whose handler reads the body, behind a guard. Clients name their address. */
async function start(changed: Partial<GuardLimits> = {}, proxies = ['127.0.0.1']): Promise<Rig> {
  const reading = new Set<string>();
  const failed = new Set<string>();
  const started = createServer({ IncomingMessage: MeteredMessage, maxHeaderSize: 1024 * kibibyte });
  const created = createRequestGuard({
    server: started,
    router: {
      async handle(request) {
        const name = request.headers.get('x-name') ?? '';
        reading.add(name);
        try {
          return new Response(`read ${(await request.arrayBuffer()).byteLength}`);
        } catch {
          failed.add(name);
          return new Response(null, { status: 499 });
        } finally {
          reading.delete(name);
        }
      },
      upgrade({ socket }) {
        socket.on('end', () => socket.destroy()).resume();
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      },
    },
    hosts: { classify: () => ({ kind: 'app', origin: 'http://app.test' }) },
    findRoute: createRouteFinder(listRouteLimits({})),
    limits: { ...limits, ...changed },
    isProxy: (address) => proxies.includes(address),
  });
  const readAddress = (headers: NodeJS.Dict<string | string[]>) =>
    headers['x-client']?.toString() ?? '127.0.0.1';
  started.on(
    'request',
    getRequestListener((request, bindings) =>
      created.handle(request, { bindings, address: readAddress(bindings.incoming.headers) }),
    ),
  );
  started.on('upgrade', (request, socket, head) =>
    created.upgrade({ request, socket, head, clientIp: readAddress(request.headers) }),
  );
  started.listen(0, '127.0.0.1');
  await once(started, 'listening');
  [server, guard] = [started, created];
  return { port: (started.address() as AddressInfo).port, reading, failed };
}

afterEach(async () => {
  guard?.close();
  server?.closeAllConnections();
  server?.close();
});

interface Sent {
  readonly socket: Socket;
  /** What the server sent so far. */
  text(): string;
  /** The status of the response. Rejects if the connection ends without one. */
  status: Promise<number>;
}

function open(port: number): Sent {
  const socket = connect(port, '127.0.0.1');
  let got = '';
  const status = new Promise<number>((resolve, reject) => {
    socket.setEncoding('latin1').on('data', (part: string) => {
      got += part;
      const found = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/.exec(got)?.[1];
      if (found) resolve(Number(found));
    });
    socket.on('close', () => reject(new Error(`closed after “${got.slice(0, 100)}”`)));
  });
  status.catch(() => undefined);
  socket.on('error', () => undefined);
  return { socket, text: () => got, status };
}

/** Sends a request and the first bytes of its body. */
function post(
  port: number,
  o: {
    name?: string;
    client?: string;
    declared: number;
    body: string;
    path?: string;
    type?: string;
  },
): Sent {
  const sent = open(port);
  sent.socket.write(
    [
      `POST ${o.path ?? '/rest/v1/books'} HTTP/1.1`,
      'host: app.test',
      `content-length: ${o.declared}`,
      `content-type: ${o.type ?? 'application/json'}`,
      `x-name: ${o.name ?? ''}`,
      `x-client: ${o.client ?? '192.0.2.1'}`,
      '',
      o.body,
    ].join('\r\n'),
  );
  return sent;
}

const bytes = (count: number) => 'x'.repeat(count);

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 2 });

describe('WB-19: a body that isn’t finished', () => {
  test('ends if it stops, or trickles', async () => {
    const { port, failed } = await start();
    const stopped = post(port, { name: 'stopped', declared: 1_000, body: 'x' });
    const trickling = post(port, { name: 'trickling', declared: 100_000, body: 'x' });
    const trickle = setInterval(() => trickling.socket.write('x'), 20);
    expect(await Promise.all([stopped.status, trickling.status])).toEqual([408, 408]);
    clearInterval(trickle);
    await eventually(() => expect([...failed].sort()).toEqual(['stopped', 'trickling']));
  });

  test('isn’t slow as long as enough arrives', async () => {
    const { port } = await start({ minBytesPerSecond: 1_000 });
    const steady = post(port, { declared: 20_000, body: '' });
    const feed = setInterval(() => steady.socket.write(bytes(500)), 20);
    // Four times as long as a window.
    expect(await steady.status).toBe(200);
    clearInterval(feed);
    expect(steady.text()).toContain('read 20000');
  });

  test('counts as its client’s memory, whatever its route, and not as that of others', async () => {
    const { port, reading } = await start({ speedWindowMs: 60_000 });
    // Five times the limit.
    const many = Array.from({ length: 16 }, (_, index) =>
      post(port, { name: `${index}`, declared: 30_000, body: bytes(20_000) }),
    );
    const statuses: number[] = [];
    for (const { status } of many) status.then((got) => statuses.push(got)).catch(() => undefined);
    await eventually(() => expect(statuses).toHaveLength(13));
    expect(new Set(statuses)).toEqual(new Set([429]));
    // Those that were refused are no longer in memory.
    await eventually(() => expect(reading.size).toBe(3));
    const other = post(port, { client: '192.0.2.2', declared: 20_000, body: bytes(20_000) });
    expect(await other.status).toBe(200);
  });

  test('is freed once it has been answered, and when its client leaves', async () => {
    const { port, reading } = await start({ speedWindowMs: 60_000 });
    for (let count = 0; count < 16; count += 1) {
      const whole = post(port, { declared: 20_000, body: bytes(20_000) });
      expect(await whole.status).toBe(200);
      const left = post(port, { name: 'left', declared: 30_000, body: bytes(20_000) });
      await eventually(() => expect(reading).toContain('left'));
      left.socket.destroy();
      await eventually(() => expect(reading).not.toContain('left'));
    }
  });

  test('of the client that holds the most ends when all together hold too much', async () => {
    const { port, reading } = await start({ speedWindowMs: 60_000 });
    const hold = (client: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        post(port, {
          name: `${client} ${index}`,
          client: `192.0.2.${client}`,
          declared: 30_000,
          body: bytes(20_000),
        }),
      );
    const [first, second, third] = [hold(1, 3), hold(2, 3), hold(3, 1)];
    await eventually(() => expect(reading.size).toBe(7));
    // 140,000 of 163,840 bytes are held.
    const whole = post(port, { client: '192.0.2.4', declared: 25_000, body: bytes(25_000) });
    expect(await whole.status).toBe(200);
    expect(await Promise.any([...first, ...second].map(({ status }) => status))).toBe(503);
    expect(third[0]?.text()).toBe('');
  });

  test('of a process of this instance isn’t limited', async () => {
    const { port } = await start();
    const sent = post(port, { client: '', declared: 200_000, body: bytes(200_000) });
    expect(await sent.status).toBe(200);
  });
});

describe('WB-18: fields of a form', () => {
  const form = 'application/x-www-form-urlencoded';
  test.each([
    [100, 200],
    [101, 413],
    [500, 413],
  ])('%i pairs get %i', async (count, status) => {
    const { port } = await start();
    const body = Array.from({ length: count }, () => 'a').join('&');
    const sent = post(port, { path: '/@ann/x/entry', declared: body.length, body, type: form });
    expect(await sent.status).toBe(status);
  });

  test.each([
    ['a quoted boundary', 'multipart/form-data; boundary="b o-b"', 'b o-b'],
    ['a plain boundary', 'Multipart/Form-Data; charset=utf-8; Boundary=bob', 'bob'],
  ])('parts with %s are counted, also in pieces', async (_, type, boundary) => {
    const { port } = await start({ speedWindowMs: 60_000 });
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`;
    const send = (count: number) => {
      const body = `${part.repeat(count)}--${boundary}--\r\n`;
      const sent = post(port, { path: '/prefill', declared: body.length, body: '', type });
      sent.socket.setNoDelay(true);
      // Every piece ends within a boundary, however many arrive at once.
      let at = 0;
      let end = 3;
      const next = () => {
        if (at >= body.length) return;
        sent.socket.write(body.slice(at, end), next);
        at = end;
        end += part.length;
      };
      next();
      return sent.status;
    };
    expect(await send(500)).toBe(200);
    expect(await send(501)).toBe(400);
  });
});

describe('WB-21: connections', () => {
  const get = (sent: Sent, client: string, headers = '') =>
    sent.socket.write(`GET /x HTTP/1.1\r\nhost: app.test\r\nx-client: ${client}\r\n${headers}\r\n`);

  test('of one network are limited, and say so', async () => {
    const { port } = await start({}, []);
    const all = Array.from({ length: 50 }, () => open(port));
    await Promise.all(all.map(({ socket }) => once(socket, 'connect')));
    for (const sent of all) get(sent, '127.0.0.1');
    const statuses = await Promise.all(all.map(({ status }) => status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    for (const { socket } of all) socket.destroy();
    await eventually(async () => {
      const sent = open(port);
      get(sent, '127.0.0.1');
      expect(await sent.status).toBe(200);
    });
  });

  test('of a proxy, or of another process, count by their requests’ clients', async () => {
    for (const proxies of [['127.0.0.1'], []]) {
      const { port, reading } = await start({ speedWindowMs: 60_000 }, proxies);
      // One at a time: a process is only known by its first request.
      for (let index = 0; index < 50; index += 1) {
        const client = `2001:db8:0:${index % 5}::${index}`;
        post(port, { name: `${index}`, client, declared: 10, body: 'x' });
        await eventually(() => expect(reading).toContain(`${index}`));
      }
      const greedy = post(port, { client: '2001:db8::999', declared: 1, body: 'x' });
      expect(await greedy.status).toBe(429);
      const other = post(port, { client: '2001:db8:0:9::1', declared: 1, body: 'x' });
      expect(await other.status).toBe(200);
      guard?.close();
      server?.closeAllConnections();
      server?.close();
    }
  });

  test('count as long as their WebSocket is open', async () => {
    const { port } = await start();
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\n';
    const sockets: Sent[] = [];
    for (let index = 0; index < 11; index += 1) {
      const sent = open(port);
      get(sent, '192.0.2.1', upgrade);
      expect(await sent.status).toBe(index < 10 ? 101 : 429);
      sockets.push(sent);
    }
    sockets[0]?.socket.destroy();
    await eventually(async () => {
      const sent = open(port);
      get(sent, '192.0.2.1', upgrade);
      expect(await sent.status).toBe(101);
    });
  });

  test('that send headers without an end are closed', async () => {
    const { port } = await start({}, []);
    const all = Array.from({ length: 5 }, () => open(port));
    for (const { socket } of all)
      socket.write(`GET / HTTP/1.1\r\nhost: app.test\r\nx: ${bytes(64 * kibibyte)}`);
    await eventually(() => expect(all.some(({ socket }) => socket.destroyed)).toBe(true));
    const other = open(port);
    get(other, '127.0.0.1');
    expect(await other.status).toBe(200);
  });
});
