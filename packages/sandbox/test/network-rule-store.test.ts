import { expect, it } from 'vitest';
import type { NetworkRule } from '../src/network-rules.ts';
import { createNetworkRuleStore } from '../src/service-worker/network-rule-store.ts';

const origin = 'http://edit--abc.vitrine.test';
const run = 'a'.repeat(32);
const rules: NetworkRule[] = [{ pattern: '*.svg', effect: { kind: 'fail' } }];

/** Cache Storage in memory, with one entry per cache. */
function createStorage() {
  const entries = new Map<string, string>();
  const open = (name: string) => ({
    match: async () => new Response(entries.get(name)),
    put: async (_: string, response: Response) => void entries.set(name, await response.text()),
  });
  const storage = {
    has: async (name: string) => entries.has(name),
    open: async (name: string) => open(name),
    delete: async (name: string) => entries.delete(name),
  };
  return { entries, storage: storage as unknown as CacheStorage };
}

it('restores the rules that an earlier worker stored', async () => {
  const { storage } = createStorage();
  await createNetworkRuleStore(storage, origin).set(run, rules);
  const store = createNetworkRuleStore(storage, origin);
  const response = await store.apply(run, new URL('/a.svg', origin));
  expect(response?.type).toBe('error');
  expect(store.isEmpty()).toBe(false);
});

it('removes rules that an earlier worker stored, even before they have been restored', async () => {
  const { entries, storage } = createStorage();
  await createNetworkRuleStore(storage, origin).set(run, rules);
  const store = createNetworkRuleStore(storage, origin);
  await store.set(run, []);
  expect(store.isEmpty()).toBe(true);
  expect(entries.size).toBe(0);
});
