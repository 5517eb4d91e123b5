/**
 * From the navigation to an editor that accepts input, and to its first typed letter, in a fresh
 * browser, next to a page with only bare CodeMirror and three languages.
 */
import type { Browser } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { withBaseline } from '../workspace/index.ts';
import { saveProject } from '../workspace/opening.ts';
import { newContext } from '../workspace/typing.ts';
import { startBare } from './bare.ts';
import { watchLanguage } from './watch.ts';

function measureOpening(open: typeof mount): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const bare = await startBare();
    const project = await saveProject(await newContext(browser), workspace.address, 'html');
    const measured = { sample: [] as number[], baseline: [] as number[] };
    // An extra round, because the first starts processes.
    for (let round = -1; round < countRounds(10); round += 1) {
      const sample = await open(browser, project);
      const baseline = await open(browser, bare.address);
      if (round < 0) continue;
      measured.sample.push(sample);
      measured.baseline.push(baseline);
    }
    await bare.close();
    return measured;
  });
}

async function mount(browser: Browser, address: string): Promise<number> {
  const context = await newContext(browser);
  await context.addInitScript(watchLanguage);
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.language.editorMs > 0);
  const ms = await page.evaluate(() => window.language.editorMs);
  await context.close();
  return ms;
}

/** Clicks into the editor as soon as it is there, and types; includes the driver's click. */
async function typeFirstKey(browser: Browser, address: string): Promise<number> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.cm-content').click();
  // No text of the pages has this letter.
  await page.keyboard.press('Q');
  const shown = await page.waitForFunction(
    () => document.querySelector('.cm-content')?.textContent.includes('Q') && performance.now(),
  );
  const ms = Number(await shown.jsonValue());
  await context.close();
  return ms;
}

export const benches: readonly Bench[] = [
  { name: 'editor/mounted-cold', run: () => measureOpening(mount) },
  { name: 'editor/first-key-cold', run: () => measureOpening(typeFirstKey) },
];
