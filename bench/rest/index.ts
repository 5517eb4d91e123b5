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
    const measured = { sample: [] as number[], baseline: [] as number[] };
    await ask(ports.sample, 2 * roundMs);
    await ask(ports.baseline, 2 * roundMs);
    for (let round = 0; round < rounds; round++) {
      measured.sample.push(await ask(ports.sample, roundMs));
      measured.baseline.push(await ask(ports.baseline, roundMs));
    }
    return { ...measured, unit: 'per-second' };
  } finally {
    if (child.connected) {
      child.send('stop');
      await once(child, 'exit');
    }
  }
}

async function portsOf(child: ChildProcess): Promise<{ sample: number; baseline: number }> {
  const [message]: unknown[] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the measured process exited with ${String(code)}`);
    }),
  ]);
  if (
    typeof message === 'object' &&
    message !== null &&
    'sample' in message &&
    'baseline' in message
  ) {
    return { sample: Number(message.sample), baseline: Number(message.baseline) };
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
