import { expect, test } from '@playwright/test';
import { actions } from './user/actions.ts';
import { planWalk, shrink, walk, type Walk } from './user/walk.ts';
import { startWalkRig, type WalkRig } from './user/world.ts';

/**
 * Short walks, and regressions found by the long ones (`npm run endure -- user`), as lists of
 * steps.
 */
const walks: readonly (Walk & { readonly name: string })[] = [
  {
    name: 'files are uploaded, edited, moved, shared and restored',
    template: 'html',
    steps: [
      ['upload assets', 1],
      ['show an asset in the page', 1],
      ['undo and redo after a reload', 2],
      ['save', 3],
      ['save a version', 3],
      ['move a file', 4],
      ['edit in another tab', 5],
      ['have another person edit', 6],
      ['download the project and import it', 1],
      ['drop a zip and merge it', 1],
      ['restore a version', 7],
      ['reload', 8],
    ],
  },
  {
    name: 'network, server and browser are away for a while',
    template: 'typescript',
    steps: [
      ['go offline', 1],
      ['edit', 2],
      ['add a stylesheet', 3],
      ['come back online', 4],
      ['save', 5],
      ['have the server killed', 6],
      ['close and reopen the browser', 7],
      ['edit', 8],
    ],
  },
  {
    // Its components were missing in the browser's stored run for the next visit.
    name: 'a saved project of compiled files is opened again after edits',
    template: 'vue',
    steps: [
      ['save', 1],
      ['edit', 2],
      ['reload', 3],
      ['edit', 4],
      ['reload', 5],
    ],
  },
];

test.describe('a simulated user finds no difference', () => {
  let rig: WalkRig;
  test.beforeAll(async () => {
    rig = await startWalkRig({ transport: 'origin', browser: 'chromium' });
  });
  test.afterAll(() => rig.close());

  for (const { name, ...steps } of walks)
    test(`where ${name}`, async () => {
      test.slow();
      expect(await walk(rig, steps)).toBeUndefined();
    });
});

test('the same seed plans the same walk, and another seed a different one', () => {
  expect(planWalk(7, 50, 'chromium')).toEqual(planWalk(7, 50, 'chromium'));
  expect(planWalk(7, 50, 'chromium')).not.toEqual(planWalk(8, 50, 'chromium'));
});

test('forty walks of a hundred steps cover all actions', () => {
  const seeds = Array.from({ length: 40 }, (_, at) => at + 1);
  const done = seeds.flatMap((seed) =>
    planWalk(seed, 100, 'chromium').steps.map(([action]) => action),
  );
  expect(done).toHaveLength(4_000);
  expect(new Set(done)).toEqual(new Set(actions.map(({ name }) => name)));
});

test('a failing walk is shrunk to the necessary steps', async () => {
  const steps = Array.from({ length: 100 }, (_, at) => at);
  let tries = 0;
  const fails = (some: readonly number[]) => {
    tries += 1;
    return Promise.resolve(some.includes(17) && some.includes(80));
  };
  expect(await shrink(steps, fails)).toEqual([17, 80]);
  expect(tries).toBeLessThan(60);
});
