/**
 * The sandbox without the app: from a key to the screen, next to the least that a page can do: for
 * styles and text, posting a message to a frame in another process; for scripts, a new `srcdoc`;
 * for opening, a bare frame.
 */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { postPaintedNumbers } from '../painted-numbers.ts';
import { servePages, typing, type Pages, type Side } from './pages.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const rounds = countRounds(6);
const keysPerRound = 6;
const sides: readonly Side[] = ['sample', 'baseline'];

async function withBrowser<T>(work: (browser: Browser, pages: Pages) => Promise<T>): Promise<T> {
  const pages = await servePages(typing);
  const browser = await chromium.launch(getChromiumOptions());
  try {
    return await work(browser, pages);
  } finally {
    await browser.close();
    await pages.close();
  }
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.addInitScript(postPaintedNumbers);
  return context;
}

async function openPage(
  context: BrowserContext,
  address: string,
): Promise<{ page: Page; ms: number }> {
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.bench?.opened() !== undefined);
  return { page, ms: Number(await page.evaluate(() => window.bench.opened())) };
}

function measureKeys(what: string): Promise<Measurement> {
  return withBrowser(async (browser, pages) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < rounds; round += 1)
      for (const side of sides) {
        const context = await newContext(browser);
        const { page } = await openPage(context, pages.address(side, what));
        if (what === 'loop') await hang(page);
        const samples = await typeKeys(page);
        // The first key warms up the page.
        measured[side].push(...samples.slice(1));
        await context.close();
      }
    return { ...measured, unit: 'ms' };
  });
}

async function hang(page: Page): Promise<void> {
  await page.evaluate(() => window.bench.loop());
  await page.waitForFunction(() => window.bench.loops());
}

async function typeKeys(page: Page): Promise<number[]> {
  await page.focus('textarea');
  for (let key = 1; key <= keysPerRound + 1; key += 1) {
    await page.keyboard.press('x');
    await page.waitForFunction((count) => window.bench.samples.length >= count, key);
  }
  return page.evaluate(() => window.bench.samples);
}

function measureOpening(isWarm: boolean): Promise<Measurement> {
  return withBrowser(async (browser, pages) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    // An extra round, because the first also starts the browser's processes.
    for (let round = -1; round < rounds + 4; round += 1)
      for (const side of sides) {
        const context = await newContext(browser);
        const first = await openPage(context, pages.address(side, 'open'));
        if (isWarm) {
          await first.page.close();
          first.ms = (await openPage(context, pages.address(side, 'open'))).ms;
        }
        if (round >= 0) measured[side].push(first.ms);
        await context.close();
      }
    return { ...measured, unit: 'ms' };
  });
}

export const benches: readonly Bench[] = [
  { name: 'host/css', run: () => measureKeys('css') },
  { name: 'host/html', run: () => measureKeys('html') },
  { name: 'host/js-reload', run: () => measureKeys('js') },
  { name: 'host/tsx-reload', run: () => measureKeys('tsx') },
  { name: 'host/loop-key', run: () => measureKeys('loop') },
  { name: 'host/open-cold', run: () => measureOpening(false) },
  { name: 'host/open-warm', run: () => measureOpening(true) },
];
