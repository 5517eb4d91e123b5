import { expect, test } from '@playwright/test';
import { runKills } from './endure/kills.ts';

test('F-01, F-02: ten kills of server and database lose no acknowledged data', async () => {
  test.setTimeout(180_000);
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  const { acknowledged, wrong } = await runKills(10, seed);
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(acknowledged).toBeGreaterThan(10);
});
