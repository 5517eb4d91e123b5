import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { buildBundleCached } from '../src/server/bundle-cache.ts';
import { setUpChromium } from './rig/chromium.ts';
import { scriptsFolder } from './rig/scripts-folder.ts';

const at = setUpChromium();

/** Loads modules of the service worker into a page, for use with the browser’s own Cache Storage. */
async function openPage(): Promise<void> {
  const { files } = await buildBundleCached(
    {
      entryPoints: {
        runs: fileURLToPath(new URL('../src/service-worker/run-store.ts', import.meta.url)),
        rules: fileURLToPath(
          new URL('../src/service-worker/network-rule-store.ts', import.meta.url),
        ),
      },
      format: 'esm',
      target: 'es2024',
    },
    scriptsFolder,
  );
  await at.page.goto(`${at.rig.appOrigin}/`);
  const sources = JSON.stringify([files.get('runs.js'), files.get('rules.js')]);
  await at.page.evaluate(`(async () => {
    for (const source of ${sources}) {
      const file = new Blob([source], { type: 'text/javascript' });
      Object.assign(globalThis, await import(URL.createObjectURL(file)));
    }
  })()`);
}

/**
 * Stores version 1 of a run, then 2, and 3 while 2 is being written, in a worker that is stopped after a number of
 * writes; returns what a new worker restores, as "1: a1,b1".
 */
const trial = `async (mostChanges) => {
  const id = 'a'.repeat(32);
  const storage = (left, onChange = () => undefined) => {
    const own = (name) => mostChanges + ' ' + name;
    const change = (work) => (...given) => {
      onChange();
      left -= 1;
      return left < 0 ? new Promise(() => undefined) : work(...given);
    };
    return {
      keys: async () => (await caches.keys()).flatMap((name) => name.startsWith(own('')) ? [name.slice(own('').length)] : []),
      has: (name) => caches.has(own(name)),
      delete: change((name) => caches.delete(own(name))),
      async open(name) {
        const cache = await caches.open(own(name));
        const [put, remove] = [cache.put.bind(cache), cache.delete.bind(cache)];
        return { match: cache.match.bind(cache), put: change(put), delete: change(remove) };
      },
    };
  };
  const file = (text) => ({ path: text[0], text, mediaType: 'text/plain', code: text + ' code', module: null });
  const store = (runs, base, version, texts, removed = []) =>
    runs.store({ type: 'store', run: id, base, version, files: texts.map(file), removed }, () => undefined);
  const first = createRunStore(storage(Infinity));
  await store(first, null, 1, ['a1', 'b1']);
  let changes = 0;
  let sent = false;
  const done = Promise.withResolvers();
  const second = createRunStore(storage(mostChanges, () => {
    changes += 1;
    if (changes > mostChanges) done.resolve();
    if (sent) return;
    sent = true;
    store(second, 2, 3, ['a3', 'c3']).then(done.resolve);
  }));
  void store(second, 1, 2, ['a2'], ['b']);
  await done.promise;
  const run = await createRunStore(storage(Infinity)).find(id);
  const texts = [...(run?.files.values() ?? [])].map(({ text, code }) => code === text + ' code' ? text : 'torn');
  return { found: run && run.version + ': ' + texts.sort(), isWhole: changes <= mostChanges };
}`;

it('P-12 keeps one complete version of a run, whenever the worker is stopped', async () => {
  await openPage();
  const found = await at.page.evaluate<{ found: string; isWhole: boolean }[]>(
    `Promise.all(Array.from({ length: 16 }, (_, most) => (${trial})(most)))`,
  );
  for (const { found: kept } of found) expect(['1: a1,b1', '2: a2', '3: a3,c3']).toContain(kept);
  expect(found[0]?.found).toBe('1: a1,b1');
  // The last workers finished on their own.
  expect(found.at(-1)).toEqual({ found: '3: a3,c3', isWhole: true });
});

it('P-12 applies no network rules that the message that started the worker cleared', async () => {
  await openPage();
  const found = await at.page.evaluate(`(async () => {
    const rule = { pattern: '/a.js', effect: { kind: 'status', status: 503 } };
    const find = async (store) => (await store.apply('run', new URL('/a.js', location.href)))?.status;
    const first = createNetworkRuleStore(caches, location.origin);
    await first.set('run', [rule]);
    const second = createNetworkRuleStore(caches, location.origin);
    const before = await find(second);
    const third = createNetworkRuleStore(caches, location.origin);
    await third.set('run', []);
    return [before, await find(third) ?? null, await find(createNetworkRuleStore(caches, location.origin)) ?? null];
  })()`);
  expect(found).toEqual([503, null, null]);
});
