/** Real keys in a page whose frame shows a number. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { watchFrames } from '../watch-frames.ts';
import { watchKeys } from './watch.ts';

/** A browser's profile of its own, whose pages are watched. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(watchFrames);
  await context.addInitScript(watchKeys);
  return context;
}

/**
 * Milliseconds from each key to the frame that shows it. Each makes the number at the end of the line
 * longer: 1 → 11 → 111. The first warms the page up and is left out.
 */
export async function pressKeys(page: Page, count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let key = 1; key <= count + 1; key += 1)
    samples.push(await pressKey(page, '1', '1'.repeat(key + 1)));
  return samples.slice(1);
}

/** Makes the number 1 again, after so many keys. */
export async function takeBack(page: Page, count: number): Promise<void> {
  for (let left = count + 1; left > 0; left -= 1)
    await pressKey(page, 'Backspace', '1'.repeat(left));
}

/** As long as a key is held: Chromium holds other tasks up until it has drawn what one did, and again when it is let go. */
const heldMs = 60;

async function pressKey(page: Page, key: string, shows: string): Promise<number> {
  await page.evaluate((number) => window.typing.expect(number), Number(shows));
  await page.keyboard.press(key, { delay: heldMs });
  await page.waitForFunction(() => window.typing.samples.length > 0);
  return page.evaluate(() => window.typing.samples.splice(0)[0] ?? Number.NaN);
}
