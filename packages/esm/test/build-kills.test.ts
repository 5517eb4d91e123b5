import { expect, test } from 'vitest';
import { killBuilds } from './build-kills.ts';

test('PK-19: two servers on one store, killed while they build: never half a module', async () => {
  const seed = Date.now() % 1_000_000;
  const moments = [seed, seed * 7].map((value) => (value % 1_000) / 1_000);
  let at = 0;
  const report = await killBuilds(2, () => moments[at++ % moments.length] ?? 0);
  expect(report.wrong, `moments ${moments.join()}`).toEqual([]);
  expect(report.whole).toBeGreaterThan(0);
}, 180_000);
