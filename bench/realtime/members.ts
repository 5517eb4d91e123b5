import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sockets in rooms. Plain ones, counting bytes: a client of `ws` would cost as much as what is measured. */
export interface Members {
  /** Deliveries a second, from the first message of a round until everybody has the last. */
  countDeliveries(senders: number, messages: number): Promise<number>;
  close(): void;
}

const event = 'edit';
const body = JSON.stringify({ file: 'index.html', text: 'x'.repeat(200) });
/** So many are opened at once: a listener takes no more in waiting. */
const opened = 250;

interface MembersOptions {
  readonly count: number;
  /** How many rooms they are spread over; in 0 they only listen. */
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
    return { socket, message: frame(2, speaks === 'phoenix' ? pushed(topic) : told(topic)) };
  };
  const members: Awaited<ReturnType<typeof open>>[] = [];
  while (members.length < count) {
    const next = Array.from({ length: Math.min(opened, count - members.length) }, (_, n) => n);
    members.push(...(await Promise.all(next.map((n) => open(members.length + n)))));
  }
  const toldBytes = told(topicOf(0)).length;
  const toldLength = headOf(toldBytes) + toldBytes;

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

/** All of one length. */
function topicOf(room: number): string {
  return `realtime:room${String(room).padStart(4, '0')}`;
}

/** What a client says in Realtime's binary form. */
function pushed(topic: string): Buffer {
  return Buffer.concat([
    Buffer.from([3, 0, 0, topic.length, event.length, 0, 1]),
    Buffer.from(topic + event + body),
  ]);
}

/** The form in which the others get it. */
function told(topic: string): Buffer {
  return Buffer.concat([
    Buffer.from([4, topic.length, event.length, 0, 1]),
    Buffer.from(topic + event + body),
  ]);
}

async function untilReceived(count: () => number, wanted: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (count() < wanted) {
    if (performance.now() > deadline) throw new Error(`${count()} of ${wanted} bytes came`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (count() > wanted) throw new Error(`${count()} bytes came instead of ${wanted}`);
}

/** The topic is in the address, where the floor finds its room. */
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

/** A frame of a client: masked, with a mask that changes nothing. */
function frame(opcode: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126
      ? [0x80 | payload.length]
      : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload]);
}

/** Bytes in front of a frame of a server. */
function headOf(length: number): number {
  return length < 126 ? 2 : 4;
}
