import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../src/store/store.ts';
import { contentOf, fileCount, fillWith, keptOf, keyOf } from './fixtures/store-filler.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const filler = fileURLToPath(new URL('fixtures/store-filler.ts', import.meta.url));

/** Starts two processes that fill the store, and kills both a moment after their first output. */
async function fillAndKill(round: number): Promise<void> {
  const children = [1, 2].map(() => spawn(process.execPath, [filler, folder]));
  const works = children.map(async (child) => {
    for (let steps = 0; steps < 1 + round; steps += 1) await once(child.stdout, 'data');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  await Promise.all(works);
}

/** Items in the store that have their final name and differ from what was written. */
async function findBroken(): Promise<string[]> {
  const broken: string[] = [];
  for (const name of await readdir(join(folder, 'built'))) {
    const n = Number(/@1\.0\.(\d+)-/.exec(name)?.[1]);
    for (let file = 0; file < fileCount; file += 1) {
      const text = await readFile(join(folder, 'built', name, `${file}.js`), 'utf8').catch(
        () => '',
      );
      if (text !== contentOf(n, file)) broken.push(`${name}/${file}.js`);
    }
  }
  for (const name of await readdir(join(folder, 'files/kind')).catch(() => [])) {
    const text = await readFile(join(folder, 'files/kind', name), 'utf8');
    const n = Number(/^(\d+)\./.exec(text)?.[1]);
    if (!name.endsWith('.tmp') && text !== keptOf(n)) broken.push(`files/kind/${name}`);
  }
  return broken;
}

test('PK-19: never contains an incomplete module after ten rounds of killed writers', async () => {
  for (let round = 0; round < 10; round += 1) {
    await fillAndKill(round);
    expect(await findBroken(), `round ${round}`).toEqual([]);
  }
  const store = await openStore({ folder, maxBytes: 1e9 });
  for (let n = 0; n < 40; n += 1) {
    const place = await store.getBuilt(keyOf(n), (work) => fillWith(n, work));
    expect(await readFile(join(place, '7.js'), 'utf8')).toBe(contentOf(n, 7));
  }
  expect(await findBroken()).toEqual([]);
}, 60_000);

test('PK-19: leaves nothing after a failed fill, reports it to all callers, and tries again', async () => {
  const store = await openStore({ folder, maxBytes: 1e9 });
  const fail = async (work: string) => {
    await fillWith(1, work);
    throw new Error('no space left');
  };
  const both = await Promise.allSettled([
    store.getBuilt(keyOf(1), fail),
    store.getBuilt(keyOf(1), fail),
  ]);
  expect(both.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(await store.findBuilt(keyOf(1))).toBeUndefined();
  expect(await readdir(join(folder, 'temporary'))).toEqual([]);
  const place = await store.getBuilt(keyOf(1), (work) => fillWith(1, work));
  expect(await readdir(place)).toHaveLength(fileCount);
});

test.runIf(process.platform === 'linux')(
  'PK-19: removes what a power cut may have left incomplete, and flushes what a kill left',
  async () => {
    const first = await openStore({ folder, maxBytes: 1e9 });
    for (const n of [1, 2]) await first.getBuilt(keyOf(n), (work) => fillWith(n, work));
    const marks = join(folder, 'unflushed');
    await expect.poll(() => readdir(marks)).toEqual([]);
    const [one = '', two = ''] = (await readdir(join(folder, 'built'))).sort();
    await writeFile(join(marks, `built-${one}`), 'an earlier run of the machine');
    await writeFile(join(marks, `built-${two}`), await readFile('/proc/sys/kernel/random/boot_id'));
    const later = await openStore({ folder, maxBytes: 1e9 });
    expect(await later.findBuilt(keyOf(1))).toBeUndefined();
    expect(await later.findBuilt(keyOf(2))).toBeDefined();
    await expect.poll(() => readdir(marks)).toEqual([]);
  },
);

test('fills a folder once for concurrent callers', async () => {
  const store = await openStore({ folder, maxBytes: 1e9 });
  let fills = 0;
  const fill = (work: string) => {
    fills += 1;
    return fillWith(1, work);
  };
  const places = await Promise.all([1, 2, 3].map(() => store.getBuilt(keyOf(1), fill)));
  expect([fills, new Set(places).size]).toEqual([1, 1]);
});

test('evicts the least recently used items beyond its limit, each completely', async () => {
  const fill = (n: number) => (work: string) => fillWith(n, work);
  const first = await openStore({ folder, maxBytes: 1e9 });
  const places = await Promise.all([0, 1, 2].map((n) => first.getBuilt(keyOf(n), fill(n))));
  const hourAgo = Date.now() / 1000 - 3600;
  for (const [n, place] of places.entries()) await utimes(place, hourAgo + n, hourAgo + n);
  const bytes = (await stat(join(places[0] ?? '', '0.js'))).size * fileCount;
  const small = await openStore({ folder, maxBytes: bytes * 2.5 });
  // Eviction runs after every fifty fills.
  for (let n = 3; n < 53; n += 1) await small.getBuilt(keyOf(n), (work) => fillWith(n, work));
  expect(await small.findBuilt(keyOf(0))).toBeUndefined();
  expect(await small.findBuilt(keyOf(52))).toBeDefined();
  expect(await findBroken()).toEqual([]);
});
