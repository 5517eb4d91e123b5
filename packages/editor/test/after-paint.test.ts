import { afterAll, beforeAll, expect, test } from 'vitest';
import { EditorBrowser } from './open-page.ts';

let browser: EditorBrowser;
beforeAll(async () => {
  browser = await EditorBrowser.start();
});
afterAll(() => browser.close());

test('calls back after the frame that paints an edit', async () => {
  const page = await browser.open({ 'a.txt': '' });
  const seen = await page.evaluateHandle(() => {
    const order: string[] = [];
    globalThis.page.doc.once('update', () => {
      requestAnimationFrame(() => order.push('frame'));
      globalThis.page.afterPaint(() => order.push('rest'));
      order.push('letter');
    });
    return order;
  });
  await page.keyboard.press('x');
  await page.waitForFunction((order) => order.includes('rest') && order.includes('frame'), seen);
  expect(await seen.jsonValue()).toEqual(['letter', 'frame', 'rest']);
});

test('calls back at once while no edit is unpainted', async () => {
  const page = await browser.open({ 'a.txt': '' });
  const isCalled = await page.evaluate(() => {
    let called = false;
    globalThis.page.afterPaint(() => (called = true));
    return called;
  });
  expect(isCalled).toBe(true);
});

test('calls back once typing has paused', async () => {
  const page = await browser.open({ 'a.txt': '' });
  const seen = await page.evaluateHandle(() => {
    const found: { order: string[]; keyAt: number; restedMs: number } = {
      order: [],
      keyAt: 0,
      restedMs: 0,
    };
    addEventListener('keydown', () => (found.keyAt = performance.now()), true);
    globalThis.page.doc.on('update', () => {
      found.order.push('letter');
      if (found.order.length > 1) return;
      globalThis.page.afterTypingPause(() => {
        found.restedMs = performance.now() - found.keyAt;
        found.order.push('rest');
      });
    });
    return found;
  });
  await page.keyboard.press('x');
  await page.keyboard.press('y');
  await page.waitForFunction(({ order }) => order.includes('rest'), seen);
  const { order, restedMs } = await seen.jsonValue();
  expect(order).toEqual(['letter', 'letter', 'rest']);
  expect(restedMs).toBeGreaterThanOrEqual(199);
  const isAtOnce = await page.evaluate(() => {
    let called = false;
    globalThis.page.afterTypingPause(() => (called = true));
    return called;
  });
  expect(isAtOnce).toBe(true);
});
