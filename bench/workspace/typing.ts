/** Real keystrokes in a page whose frame shows a number. */
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { postPaintedNumbers } from '../painted-numbers.ts';

declare global {
  interface Window {
    typing: {
      samples: number[];
      /** Milliseconds from the navigation to the first frame with a heading, or undefined. */
      shownMs?: number;
      expect(shows: number): void;
    };
  }
}

/** A browser context whose pages are measured. */
export async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(postPaintedNumbers);
  await context.addInitScript(watchKeys);
  return context;
}

/** A browser is idle if it uses less than this share of a core; watching frames uses a tenth. */
const quietShare = 0.2;
const lookEveryMs = 500;
/** Consecutive idle checks required, because later work starts only after earlier work. */
const quietLooks = 5;
const quietWithinMs = 30_000;

/**
 * Waits until a page has loaded everything and the browser is idle. Throws for a
 * page that never becomes idle.
 */
export async function untilQuiet(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const usedMs = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  };
  try {
    const end = performance.now() + quietWithinMs;
    let before = await usedMs();
    for (let looks = 0; performance.now() < end;) {
      await setTimeout(lookEveryMs);
      const now = await usedMs();
      looks = now - before < lookEveryMs * quietShare ? looks + 1 : 0;
      if (looks === quietLooks) return;
      before = now;
    }
  } finally {
    await session.detach();
  }
  throw new Error(`the browser was busy for ${quietWithinMs / 1_000} s`);
}

/**
 * Milliseconds from each key to the frame that shows it. Each key makes the number at the end of
 * the line longer: 1 → 11 → 111. The first warms up the page and isn't counted.
 */
export async function pressKeys(page: Page, count: number): Promise<number[]> {
  const samples: number[] = [];
  for (let key = 1; key <= count + 1; key += 1)
    samples.push(await pressKey(page, '1', '1'.repeat(key + 1)));
  return samples.slice(1);
}

/** Restores the number 1 after `count` keys. */
export async function undoKeys(page: Page, count: number): Promise<void> {
  for (let left = count + 1; left > 0; left -= 1)
    await pressKey(page, 'Backspace', '1'.repeat(left));
}

/**
 * Duration of a key press. Chromium delays other tasks until it has painted a key's effect, and
 * again on release.
 */
const heldMs = 60;

export async function pressKey(page: Page, key: string, shows: string): Promise<number> {
  await page.evaluate((number) => window.typing.expect(number), Number(shows));
  await page.keyboard.press(key, { delay: heldMs });
  await page.waitForFunction(() => window.typing.samples.length > 0);
  return page.evaluate(() => window.typing.samples.splice(0)[0] ?? Number.NaN);
}

/** In the page to type in: measures milliseconds from a key to its number in the frame. */
function watchKeys(): void {
  if (top !== self) return;
  const samples: number[] = [];
  let expected = Number.NaN;
  let pressedAt = 0;
  addEventListener('keydown', (event) => (pressedAt = event.timeStamp), true);
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('shows' in data)) return;
    const at = 'at' in data ? Number(data.at) - performance.timeOrigin : Number.NaN;
    window.typing.shownMs ??= at;
    if (data.shows !== expected) return;
    expected = Number.NaN;
    samples.push(at - pressedAt);
  });
  window.typing = { samples, expect: (shows) => (expected = shows) };
}
