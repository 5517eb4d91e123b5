/**
 * A user edits for an hour at four keys a second: the memory of the tab's processes at the end,
 * compared to that after the first minute. The edits are the same, however long they take.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test';
import { measureCost } from '@vitrine/testing/process-cost';
import { startServer } from '@vitrine/testing/server';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const roundsAnHour = 120;
const roundsAMinute = roundsAnHour / 60;
const keysPerRound = 120;
/** Maximum growth of the tab's memory, as a factor. */
const allowed = 1.3;

interface MemoryReport {
  readonly afterMinute: MemoryUsage;
  readonly afterHour: MemoryUsage;
  readonly isRight: boolean;
}

/** Memory after garbage collection. */
interface MemoryUsage {
  readonly keys: number;
  /** Resident memory of all renderer processes. */
  readonly megabytes: number;
  /** JavaScript heap and DOM counters of the app's page. */
  readonly heapMegabytes: number;
  readonly nodes: number;
  readonly listeners: number;
  /** Frames on the page, which should have one. */
  readonly frames: number;
}

/** Performs an hour's edits within the given minutes, or longer on a slow machine. */
export async function watchMemory(
  minutes: number,
  tell: (held: MemoryUsage) => void,
): Promise<MemoryReport> {
  const server = await startServer();
  const launched = await chromium.launchServer(getChromiumOptions());
  const browser = await chromium.connect(launched.wsEndpoint());
  try {
    const page = await openProject(browser, server.address);
    const measure = await createMeasure(page, launched.process().pid ?? Number.NaN);
    return await editForAnHour(page, measure, { roundMs: (minutes * 60_000) / roundsAnHour, tell });
  } finally {
    await browser.close();
    await launched.close();
    await server.remove();
  }
}

async function editForAnHour(
  page: Page,
  measure: (keys: number) => Promise<MemoryUsage>,
  { roundMs, tell }: { roundMs: number; tell: (held: MemoryUsage) => void },
): Promise<MemoryReport> {
  let afterMinute: MemoryUsage | undefined;
  for (let round = 1; ; round += 1) {
    const pace = delay(roundMs);
    await editRound(page, round);
    await pace;
    const isTold = round === roundsAMinute || round % (roundsAMinute * 10) === 0;
    if (!isTold) continue;
    const held = await measure(round * keysPerRound);
    tell(held);
    afterMinute ??= held;
    if (round < roundsAnHour) continue;
    const isRight = held.megabytes <= afterMinute.megabytes * allowed;
    return { afterMinute, afterHour: held, isRight };
  }
}

/** Opens a saved project of a signed-in user. */
async function openProject(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${address}/auth/sign-up`);
  await page.getByLabel('Email').fill('mira@example.org');
  await page.getByLabel('Username').fill('mira');
  await page.getByLabel('Password').fill('a password for an hour');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Account menu for mira' }).waitFor();
  await page.goto(`${address}/new/html`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/@mira\//);
  await page.frameLocator('iframe[title="Result"]').getByRole('heading').waitFor();
  return page;
}

/** A round of edits that leaves the texts as they were, except for the round's number. */
async function editRound(page: Page, round: number): Promise<void> {
  await retype(page, 'style.css', `h1 { color: hsl(${round * 7} 60% 40%) }\n/*  */`);
  await typeKeys(page, 40);
  await retype(page, 'index.html', pageOf(round));
  await typeKeys(page, 20);
  await retype(page, 'script.js', scriptOf(round));
  await typeKeys(page, 30);
  // An incomplete statement, then the original text.
  await page.keyboard.type('\nconst half = (', { delay: 0 });
  for (let key = 0; key < 15; key += 1) await page.keyboard.press('Backspace');
  await page.keyboard.press('ControlOrMeta+Z');
  if (round % 10 !== 0) return;
  await page.getByRole('tab', { name: 'Problems' }).click();
  await page.getByRole('tab', { name: 'Console' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

async function retype(page: Page, path: string, text: string): Promise<void> {
  await page.getByRole('tab', { name: path, exact: true }).click();
  await page.getByRole('textbox', { name: `Editor: ${path}` }).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

async function typeKeys(page: Page, count: number): Promise<void> {
  for (let key = 0; key < count; key += 1) await page.keyboard.press('x');
}

const pageOf = (round: number) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8" /><title>Round ${round}</title>
<link rel="stylesheet" href="style.css" /></head>
<body><h1>Round ${round}</h1><ul></ul><script src="script.js" type="module"></script></body></html>
`;

const scriptOf = (round: number) => `const list = document.querySelector('ul');
const items = Array.from({ length: 100 }, (_, at) => ({ at, round: ${round} }));
for (const { at } of items) list.append(Object.assign(document.createElement('li'), { textContent: at }));
addEventListener('resize', () => console.log(items));
console.log('round', ${round}, items, list);
// `;

/** Creates a function that collects garbage, then measures, so that numbers are comparable. */
async function createMeasure(
  page: Page,
  root: number,
): Promise<(keys: number) => Promise<MemoryUsage>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return async (keys) => {
    await collect(page, session);
    const { metrics } = await session.send('Performance.getMetrics');
    const valueOf = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
    const { megabytes } = await measureCost(root, 'renderer');
    return {
      keys,
      megabytes: Math.round(megabytes),
      heapMegabytes: Math.round(valueOf('JSHeapUsedSize') / 2 ** 18) / 4,
      nodes: valueOf('Nodes'),
      listeners: valueOf('JSEventListeners'),
      frames: await page.locator('iframe').count(),
    };
  };
}

/** Collects garbage twice: the second time frees what weak references held. */
async function collect(page: Page, ofPage: CDPSession): Promise<void> {
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  const sessions = await Promise.all(
    // A frame in the page's process has no CDP session of its own.
    frames.map((frame) =>
      page
        .context()
        .newCDPSession(frame)
        .catch(() => undefined),
    ),
  );
  for (let time = 0; time < 2; time += 1)
    for (const session of [ofPage, ...sessions]) await session?.send('HeapProfiler.collectGarbage');
  for (const session of sessions) await session?.detach();
}
