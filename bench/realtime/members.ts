import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Sockets in rooms. Plain sockets that count bytes, because a `ws` client would cost as much as the
 * server.
 */
export interface Members {
  /** Deliveries per second, from a round's first message until everyone has the last. */
  countDeliveries(senders: number, messages: number): Promise<number>;
  close(): void;
}

const event = 'edit';
const body = JSON.stringify({ file: 'index.html', text: 'x'.repeat(200) });
/** Sockets opened at once, within the listener's backlog. */
const opened = 250;

interface MembersOptions {
  readonly count: number;
  /** Number of rooms; with 0, sockets only listen. */
  readonly rooms: number;
  readonly speaks: 'phoenix' | 'bytes';
}

export async function openMembers(port: number, options: MembersOptions): Promise<Members> {
  const { count, rooms, speaks } = options;
  let received = 0;
  const open = async (number: number) => {
    const topic = rooms > 0 ? topicOf(number % rooms) : '';
    const socket = await openSocket(port, topic);
    if (rooms > 0 && speaks === 'phoenix') await join(socket, topic, number);
    socket.on('data', (data) => (received += data.length));
    return {
      socket,
      message: frame(2, speaks === 'phoenix' ? formatPush(topic) : formatBroadcast(topic)),
    };
  };
  const members: Awaited<ReturnType<typeof open>>[] = [];
  while (members.length < count) {
    const next = Array.from({ length: Math.min(opened, count - members.length) }, (_, n) => n);
    members.push(...(await Promise.all(next.map((n) => open(members.length + n)))));
  }
  const broadcastBytes = formatBroadcast(topicOf(0)).length;
  const toldLength = headOf(broadcastBytes) + broadcastBytes;

  return {
    async countDeliveries(senders, messages) {
      const deliveries = senders * messages * (count / rooms - 1);
      received = 0;
      const start = performance.now();
      for (let n = 0; n < messages; n++) {
        for (const { socket, message } of members.slice(0, senders)) socket.write(message);
      }
      await untilReceived(() => received, deliveries * toldLength);
      return deliveries / ((performance.now() - start) / 1_000);
    },
    close() {
      for (const { socket } of members) socket.destroy();
    },
  };
}

/** Topics of equal length. */
function topicOf(room: number): string {
  return `realtime:room${String(room).padStart(4, '0')}`;
}

/** A client's message in Realtime's binary format. */
function formatPush(topic: string): Buffer {
  return Buffer.concat([
    Buffer.from([3, 0, 0, topic.length, event.length, 0, 1]),
    Buffer.from(topic + event + body),
  ]);
}

/** The message as delivered to the others. */
function formatBroadcast(topic: string): Buffer {
  return Buffer.concat([
    Buffer.from([4, topic.length, event.length, 0, 1]),
    Buffer.from(topic + event + body),
  ]);
}

async function untilReceived(count: () => number, wanted: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (count() < wanted) {
    if (performance.now() > deadline) throw new Error(`received ${count()} of ${wanted} bytes`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (count() > wanted) throw new Error(`received ${count()} bytes instead of ${wanted}`);
}

/** Opens a socket with the topic in the URL, from which the baseline gets the room. */
async function openSocket(port: number, topic: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  const lines = [
    `GET /realtime/v1/websocket?apikey=key&vsn=2.0.0&room=${topic} HTTP/1.1`,
    'host: localhost',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString().startsWith('HTTP/1.1 101 ')) throw new Error(answer.toString());
  return socket;
}

async function join(socket: Socket, topic: string, number: number): Promise<void> {
  const payload = { config: {}, access_token: `account ${number}` };
  socket.write(frame(1, Buffer.from(JSON.stringify(['1', '1', topic, 'phx_join', payload]))));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString().includes('"status":"ok"')) throw new Error(answer.toString());
}

/** A client's WebSocket frame, masked with zeros. */
function frame(opcode: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? [0x80 | payload.length]
      : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload]);
}

/** Header size of a server's frame in bytes. */
function headOf(length: number): number {
  return length < 126 ? 2 : 4;
}
