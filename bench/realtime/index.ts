/** Messages a second that reach the members of a channel, beside a bare loop over `ws` (see floor.ts). */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countRounds, type Bench, type Measured } from '../bench.ts';
import { openMembers, type Members } from './members.ts';

const members = 100;
const senders = 20;
/** Of each sender in a round: within what the limits let anybody say at once. */
const messages = 10;
/** In which the limits of the channel are won back. */
const pauseMs = 400;

async function measureFanOut(): Promise<Measured> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)));
  try {
    const ports = await portsOf(child);
    const ours = await openMembers(ports.ours, { count: members, speaks: 'phoenix' });
    const floor = await openMembers(ports.floor, { count: members, speaks: 'bytes' });
    const measured = { ours: [] as number[], floor: [] as number[] };
    const ask = async (room: Members) => {
      await pause(pauseMs);
      return await room.countDeliveries(senders, messages);
    };
    for (const room of [ours, floor]) await ask(room);
    for (let round = 0; round < countRounds(15); round++) {
      measured.ours.push(await ask(ours));
      measured.floor.push(await ask(floor));
    }
    for (const room of [ours, floor]) room.close();
    return { ...measured, unit: 'per-second' };
  } finally {
    if (child.connected) {
      child.send('stop');
      await once(child, 'exit');
    }
  }
}

async function portsOf(child: ChildProcess): Promise<{ ours: number; floor: number }> {
  const [message]: unknown[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the measured process ended with ${String(code)}`);
    }),
  ]);
  if (typeof message === 'object' && message !== null && 'ours' in message && 'floor' in message) {
    return { ours: Number(message.ours), floor: Number(message.floor) };
  }
  throw new Error('the measured process told no ports');
}

export const benches: readonly Bench[] = [{ name: 'realtime/fan-out', run: measureFanOut }];
