/** Realtime next to a bare loop over `ws` (see baseline.ts). */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { benches as blocks } from './blocks.ts';
import { openMembers, type Members } from './members.ts';

const sides = ['sample', 'baseline'] as const;
type Side = (typeof sides)[number];

const speaks = { sample: 'phoenix', baseline: 'bytes' } as const;
/** Pause in which a channel's rate limits recover. */
const pauseMs = 400;

/** Sockets distributed over rooms, some of which send messages in each round. */
interface Crowd {
  readonly count: number;
  readonly rooms: number;
  readonly senders: number;
  /** Messages per sender and round, within the rate limits. */
  readonly messages: number;
}

const room: Crowd = { count: 100, rooms: 1, senders: 20, messages: 10 };
const active: Crowd = { count: 2_000, rooms: 100, senders: 2_000, messages: 1 };
const idle = { count: 5_000, rooms: 0 };

/** Messages delivered to channel members per second. */
function measureDeliveries({ senders, messages, ...crowd }: Crowd): Promise<Measurement> {
  return withServer(async ({ ports }) => {
    const members = {} as Record<Side, Members>;
    for (const side of sides)
      members[side] = await openMembers(ports[side], { ...crowd, speaks: speaks[side] });
    const measured = { sample: [] as number[], baseline: [] as number[] };
    const ask = async (side: Side) => {
      await pause(pauseMs);
      return await members[side].countDeliveries(senders, messages);
    };
    for (const side of sides) await ask(side);
    for (let round = 0; round < countRounds(15); round++)
      for (const side of sides) measured[side].push(await ask(side));
    for (const side of sides) members[side].close();
    return { ...measured, unit: 'per-second' };
  });
}

/** Memory of the server's process per socket. */
function measureMemory(crowd: {
  readonly count: number;
  readonly rooms: number;
}): Promise<Measurement> {
  return withServer(async ({ ports, usedBytes }) => {
    const ask = async (side: Side) => {
      const before = await usedBytes();
      const members = await openMembers(ports[side], { ...crowd, speaks: speaks[side] });
      const kB = ((await usedBytes()) - before) / crowd.count / 1_000;
      members.close();
      await pause(pauseMs);
      return kB;
    };
    // One-time allocations are done by then.
    for (const side of sides) await ask(side);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < countRounds(5); round++)
      for (const side of sides) measured[side].push(await ask(side));
    return { ...measured, unit: 'kB' };
  });
}

interface MeasuredServer {
  readonly ports: Readonly<Record<Side, number>>;
  usedBytes(): Promise<number>;
}

async function withServer<T>(measure: (server: MeasuredServer) => Promise<T>): Promise<T> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  try {
    const { sample, baseline } = await receiveMessage(child);
    const usedBytes = async () => {
      child.send('memory');
      return (await receiveMessage(child)).bytes ?? Number.NaN;
    };
    return await measure({
      ports: { sample: sample ?? Number.NaN, baseline: baseline ?? Number.NaN },
      usedBytes,
    });
  } finally {
    if (child.connected) {
      child.send('stop');
      await once(child, 'exit');
    }
  }
}

async function receiveMessage(
  child: ChildProcess,
): Promise<Readonly<Record<string, number | undefined>>> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const [message] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`the measured process exited with ${String(code)}`);
      }),
    ])) as [Record<string, number>];
    return message;
  } finally {
    ended.abort();
  }
}

export const benches: readonly Bench[] = [
  { name: 'realtime/fan-out', run: () => measureDeliveries(room) },
  { name: 'realtime/active-2000', run: () => measureDeliveries(active) },
  { name: 'realtime/memory-active-2000', run: () => measureMemory(active) },
  { name: 'realtime/memory-idle-5000', run: () => measureMemory(idle) },
  ...blocks,
];
