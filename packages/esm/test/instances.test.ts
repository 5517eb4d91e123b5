import { chromium, type Browser } from '@playwright/test';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPackageHost } from './package-page.ts';
import { withPackageServer } from './package-server-fixture.ts';
import { mixes, publishSingletons } from './fixtures/singleton-fixtures.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(getChromiumOptions());
});
afterAll(() => browser.close());

/**
 * Loads the modules at once, and returns which singletons were loaded, and how many copies of each
 * were used.
 */
const compareUses = (addresses: readonly string[]) => `
  const modules = await Promise.all(${JSON.stringify(addresses)}.map((address) => import(address)));
  const used = {};
  for (const { uses = [], self } of modules)
    for (const [name, object] of uses) (used[name] ??= new Set()).add(object);
  const counted = Object.entries(used).map(([name, objects]) => [name, objects.size]);
  const own = Object.values(used).flatMap((objects) => [...objects]);
  const direct = modules.flatMap(({ self }) => (self === undefined ? [] : [self]));
  export default {
    copies: globalThis.copies.map((copy) => copy.split('@')[0]).sort(),
    used: Object.fromEntries(counted),
    strangers: direct.filter((object) => !own.includes(object)).length,
  };`;

interface Comparison {
  readonly copies: readonly string[];
  readonly used: Readonly<Record<string, number>>;
  /** Singletons that the project imports and that none of its packages received. */
  readonly strangers: number;
}

test('loads one copy of React, Preact, Vue, three and Yjs in twenty mixes', () =>
  withPackageServer({}, async ({ registry, server, add }) => {
    publishSingletons(registry);
    const host = await startPackageHost(server, browser);
    const seen: Record<string, Comparison> = {};
    try {
      for (const mix of mixes) {
        const { packages } = await add(mix.split(' '));
        seen[mix] = await host.open(async ({ run, complaints }) => {
          const found = (await run(compareUses(packages.map(({ base }) => base)))) as Comparison;
          expect(complaints, mix).toEqual([]);
          return found;
        });
      }
    } finally {
      await host.close();
    }
    for (const [mix, { copies, used, strangers }] of Object.entries(seen)) {
      expect(copies, mix).toEqual([...new Set(copies)]);
      expect(Object.keys(used).toSorted(), mix).toEqual(copies);
      expect([...new Set(Object.values(used))], mix).toEqual([1]);
      expect(strangers, mix).toBe(0);
    }
    expect(Object.keys(seen)).toHaveLength(20);
  }));

test('loads one copy in a page that imports packages by ranges', () =>
  withPackageServer({}, async ({ registry, server }) => {
    publishSingletons(registry);
    const host = await startPackageHost(server, browser);
    try {
      const paths = ['react', 'react@^19', 'react-dom@19/client', 'hooks', 'kit@1', 'chart@latest'];
      const found = await host.open(({ run }) =>
        run(compareUses(paths.map((path) => `/npm/${path}`))),
      );
      expect(found).toEqual({ copies: ['react'], used: { react: 1 }, strangers: 0 });
    } finally {
      await host.close();
    }
  }));
