/**
 * How long the product's event loop is blocked while many users sign in or join channels at once,
 * next to as many requests for a file.
 */
import { WebSocket } from 'ws';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import {
  credentials,
  openProduct,
  createProjectArguments,
  signInToProduct,
  username,
  type Product,
} from '../workspace/product.ts';
import { startWorkspace } from '../workspace/server.ts';

const metricsPort = 9_461;
/** Parallel sign-ins, within the rate limits of one address. */
const signIns = 5;
const joins = 200;
const rounds = 5;

/** The longest block of the event loop in each round, in milliseconds. */
async function measureBlocks(
  count: number,
  prepare: (product: Product) => Promise<() => Promise<unknown>>,
): Promise<Measurement> {
  const workspace = await startWorkspace({ METRICS_PORT: String(metricsPort) });
  try {
    const product = await openProduct(workspace);
    const once = await prepare(product);
    const loadFile = async () => (await fetch(`${product.origin}/favicon.svg`)).arrayBuffer();
    const ask = async (work: () => Promise<unknown>) => {
      await readBlock();
      await Promise.all(Array.from({ length: count }, work));
      return readBlock();
    };
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < countRounds(rounds); round++) {
      measured.sample.push(await ask(once));
      measured.baseline.push(await ask(loadFile));
    }
    return { ...measured, unit: 'ms' };
  } finally {
    await workspace.close();
  }
}

/** The longest block since the last call, at least one millisecond. */
async function readBlock(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  return Math.max(1, Number(seconds) * 1_000);
}

async function prepareSignIns(product: Product): Promise<() => Promise<unknown>> {
  await product.post('/auth/v1/signup', { ...credentials, data: { username } });
  return () => signInToProduct(product);
}

/**
 * Prepares joins of a project's private channel, each with its own socket, checked by its policies.
 */
async function prepareJoins(product: Product): Promise<() => Promise<unknown>> {
  await prepareSignIns(product);
  const token = await signInToProduct(product);
  const { id } = await product.post(
    '/rest/v1/rpc/create_project',
    createProjectArguments(new Map()),
    token,
  );
  return () => join(product, `realtime:project:${id}`, token);
}

function join({ origin, key }: Product, topic: string, token: string): Promise<void> {
  const address = `${origin.replace('http', 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=2.0.0`;
  const socket = new WebSocket(address);
  const payload = { config: { private: true }, access_token: token };
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => socket.send(JSON.stringify(['1', '1', topic, 'phx_join', payload])));
    socket.once('message', (answer: Buffer) => {
      socket.terminate();
      if (answer.toString().includes('"status":"ok"')) resolve();
      else reject(new Error(answer.toString()));
    });
  });
}

export const benches: readonly Bench[] = [
  { name: 'auth/sign-in-block', run: () => measureBlocks(signIns, prepareSignIns) },
  { name: 'realtime/join-block', run: () => measureBlocks(joins, prepareJoins) },
];
