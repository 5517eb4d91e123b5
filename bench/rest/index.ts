/** REST requests per second, next to the same SQL with hand-written handlers (see baseline.ts). */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { countAnswers, formatRequest } from './load.ts';
import { workBenches } from './your-work.ts';

const rounds = countRounds(9);
const roundMs = 600;

const requests = {
  'rest/read': formatRequest('GET', '/rest/v1/works?id=eq.777'),
  'rest/list': formatRequest(
    'GET',
    '/rest/v1/works?select=id,title,likes,made_at,maker:makers(id,name)&is_public=is.true&order=likes.desc&limit=20',
  ),
  'rest/insert': formatRequest('POST', '/rest/v1/notes', '{"body":"A note of a few words."}'),
};

/** Measures in a separate process per benchmark, so that none inherits another's heap. */
async function measure(request: string, connections: number): Promise<Measurement> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)));
  try {
    const ports = await portsOf(child);
    const ask = (port: number, ms: number) => countAnswers(port, request, connections, ms);
    const measured = { ours: [] as number[], floor: [] as number[] };
    await ask(ports.ours, 2 * roundMs);
    await ask(ports.floor, 2 * roundMs);
    for (let round = 0; round < rounds; round++) {
      measured.ours.push(await ask(ports.ours, roundMs));
      measured.floor.push(await ask(ports.floor, roundMs));
    }
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
      throw new Error(`the measured process exited with ${String(code)}`);
    }),
  ]);
  if (typeof message === 'object' && message !== null && 'ours' in message && 'floor' in message) {
    return { ours: Number(message.ours), floor: Number(message.floor) };
  }
  throw new Error('the measured process sent no ports');
}

export const benches: readonly Bench[] = [
  ...Object.entries(requests).flatMap(([name, request]) => [
    { name, run: () => measure(request, 1) },
    { name: `${name}-32`, run: () => measure(request, 32) },
  ]),
  ...workBenches,
];
