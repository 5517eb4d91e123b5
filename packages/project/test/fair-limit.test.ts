import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { createFairLimit } from '../src/fair-limit.ts';

const attacker = '192.0.2.1';
const visitor = '198.51.100.7';

/** Named work that ends when the test says so. */
function createWork() {
  const running = new Map<string, () => void>();
  return {
    running,
    start: (name: string) => new Promise<void>((done) => running.set(name, done)),
    async end(name: string) {
      running.get(name)?.();
      running.delete(name);
      // The next work has started once all pending promise callbacks have run.
      await new Promise(setImmediate);
    },
  };
}

const clientAddress = new AsyncLocalStorage<string>();
const currentClient = () => clientAddress.getStore() ?? '';
const refusal = () => new Error('busy');

describe('PT-03 a fair limit', () => {
  test('keeps a slot free for clients other than the busiest one', async () => {
    const withinLimit = createFairLimit({
      slots: 3,
      maxWaiting: 100,
      getCurrentClient: currentClient,
      createError: refusal,
    });
    const { running, start, end } = createWork();
    const ask = (client: string, name: string) =>
      clientAddress.run(client, () => withinLimit(() => start(name)));
    const all = [1, 2, 3, 4].map((each) => ask(attacker, `attack ${each}`));
    await new Promise(setImmediate);
    expect([...running.keys()]).toEqual(['attack 1', 'attack 2']);
    all.push(ask(visitor, 'visit 1'), ask(visitor, 'visit 2'));
    await new Promise(setImmediate);
    expect([...running.keys()]).toEqual(['attack 1', 'attack 2', 'visit 1']);
    await end('visit 1');
    expect([...running.keys()]).toEqual(['attack 1', 'attack 2', 'visit 2']);
    for (const name of ['visit 2', 'attack 1', 'attack 2', 'attack 3', 'attack 4']) await end(name);
    await Promise.all(all);
  });

  test('rejects work of the client with the most waiting when too many wait', async () => {
    const withinLimit = createFairLimit({
      slots: 2,
      maxWaiting: 10,
      getCurrentClient: currentClient,
      createError: refusal,
    });
    const { running, start, end } = createWork();
    const ask = (client: string, name: string) =>
      clientAddress.run(client, () => withinLimit(() => start(name)));
    const attacks = Array.from({ length: 11 }, (_, each) => ask(attacker, `attack ${each}`));
    await new Promise(setImmediate);
    const outcomes = Promise.allSettled(attacks);
    const visits = [ask(visitor, 'visit 1'), ask(visitor, 'visit 2')];
    await new Promise(setImmediate);
    expect([...running.keys()]).toEqual(['attack 0', 'visit 1']);
    while (running.size > 0) for (const name of running.keys()) await end(name);
    await Promise.all(visits);
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { message: 'busy' } }]);
  });
});
