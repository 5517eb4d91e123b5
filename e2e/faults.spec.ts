import { expect, test } from '@playwright/test';
import { runFaults } from './endure/faults.ts';

test('F-31, F-32: without connections, and with a slow database, nothing acknowledged is lost', async () => {
  test.setTimeout(120_000);
  const seed = Date.now() % 1_000_000;
  const { acknowledged, uploaded, wrong } = await runFaults(2, seed, [
    'connections exhausted',
    'database slow',
  ]);
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(acknowledged).toBeGreaterThan(10);
  expect(uploaded).toBeGreaterThan(2);
});
