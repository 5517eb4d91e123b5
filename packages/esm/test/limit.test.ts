import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientAddress, createLimit } from '../src/limit.ts';
import { appOrigin, codeOf, inPackagePlace } from './package-place.ts';

const attacker = '192.0.2.1';
const visitor = '198.51.100.7';

/** Work that ends when it is told to, under a name. */
function createWork() {
  const running = new Map<string, () => void>();
  return {
    running,
    start: (name: string) => new Promise<void>((done) => running.set(name, done)),
    async end(name: string) {
      running.get(name)?.();
      running.delete(name);
      // Whoever is next has started when everything that follows from it has run.
      await new Promise(setImmediate);
    },
  };
}

describe('PT-03 a limit', () => {
  test('keeps a place for others than the client with most work', async () => {
    const withinLimit = createLimit(3, 100);
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

  test('refuses those of the client with most waiting when too many wait', async () => {
    const withinLimit = createLimit(2, 10);
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
    expect(refused).toMatchObject([{ reason: { code: 'packages_busy' } }]);
  });

  test('lets nobody’s slow resolving hold up that of others', () =>
    inPackagePlace({}, async ({ registry, server }) => {
      registry.publish({ name: 'fine', version: '1.0.0' });
      const pending: (() => void)[] = [];
      registry.behave(/^\/slow/, (response) => {
        pending.push(() => response.writeHead(404).end('{}'));
      });
      const add = (address: string, name: string) => {
        const body = JSON.stringify({ packageJson: '{}', add: [{ name }] });
        const init = { method: 'POST', headers: { origin: appOrigin }, body };
        return server.fetch(new Request(`${appOrigin}/npm/-/resolve`, init), { address });
      };
      const attacks = Array.from({ length: 6 }, (_, each) => add(attacker, `slow${each}`));
      expect((await add(visitor, 'fine'))?.status).toBe(200);
      registry.restore();
      const answered = Promise.all(attacks);
      for (const answer of pending) answer();
      for (const answer of await answered) expect(answer?.status).toBe(404);
    }));
});

test('PT-03 a package that cannot be built is not built again by whoever asks next', () =>
  inPackagePlace({}, async ({ registry, add, get, folder }) => {
    registry.publish({
      name: 'broken',
      version: '1.0.0',
      files: { 'index.js': 'export const = ;' },
      manifest: { type: 'module', main: 'index.js' },
    });
    const base = (await add(['broken'])).baseOf('broken');
    expect(await codeOf(await get(base))).toBe('package_build_failed');
    // Another try would need its files, which nobody has any more.
    for (const name of await readdir(folder))
      if (name.startsWith('unpacked')) await rm(join(folder, name), { recursive: true });
    registry.behave(/\.tgz$/, (response) => void response.writeHead(500).end());
    expect(await codeOf(await get(base))).toBe('package_build_failed');
  }));

test('PT-03 a registry that does not answer is asked again', () =>
  inPackagePlace({}, async ({ registry, add, get }) => {
    registry.publish({ name: 'late', version: '1.0.0', files: { 'index.js': 'export default 1' } });
    registry.behave(/\.tgz$/, (response) => void response.writeHead(500).end());
    const base = (await add(['late'])).baseOf('late');
    expect(await codeOf(await get(base))).toBe('registry_unreachable');
    registry.restore();
    expect((await get(base)).status).toBe(200);
  }));
