/**
 * The cost of a keystroke and of opening, by project size. The baseline is the same in the smallest
 * project, so that a ratio above 1 is the cost of the size. For a long file, which the
 * browser must parse again, the baseline is a page that only imports the file again.
 */
import type { AssetFile, FileContent } from '@vitrine/project';
import type { Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { withBaseline } from '../workspace/index.ts';
import { openAt } from '../workspace/opening.ts';
import { newContext, pressKeys, undoKeys } from '../workspace/typing.ts';
import { createBenchAccount, type BenchAccount } from './account.ts';
import {
  edited,
  moduleOf,
  createGallery,
  createGrowthProject,
  createPicture,
  smallest,
} from './growth-projects.ts';

const rounds = countRounds(5);
const keysPerRound = 6;
const longLines = 10_000;

type Files = ReadonlyMap<string, string>;

/** Types into both open projects in turn. */
function measureKeys(files: Files): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const context = await newContext(browser);
    const account = await createBenchAccount(context, workspace);
    const pages = { sample: await context.newPage(), baseline: await context.newPage() };
    await openEditor(pages.sample, await account.save(files));
    await openEditor(pages.baseline, await account.save(smallest));
    return typeInTurn(pages);
  });
}

function measureLongFile(): Promise<Measurement> {
  return withBaseline(async (browser, workspace, baseline) => {
    const context = await newContext(browser);
    const account = await createBenchAccount(context, workspace);
    const pages = { sample: await context.newPage(), baseline: await context.newPage() };
    await openEditor(pages.sample, await account.save(createGrowthProject(4, 0, longLines)));
    await openBaseline(pages.baseline, `${baseline.address}/module`);
    return typeInTurn(pages);
  });
}

async function openEditor(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: 'commit' });
  const files = page.getByRole('dialog', { name: 'Go to file' });
  await page.locator('.cm-content').first().click();
  await page.keyboard.press('ControlOrMeta+P');
  await files.getByRole('combobox').fill(edited);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: `Editor: ${edited}` }).click();
  const heading = page.frameLocator('iframe[title="Result"]').locator('h1[data-state]');
  await heading.waitFor();
  await goToNumber(page);
}

async function openBaseline(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.frameLocator('iframe').locator('h1').waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+A');
  await paste(page, moduleOf(longLines));
  await page.frameLocator('iframe').locator('h1[data-state]').waitFor();
  await goToNumber(page);
}

/** Pastes text, because inserting so many lines as keyboard input takes minutes. */
async function paste(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').evaluate((content, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const init = { clipboardData, bubbles: true, cancelable: true };
    content.dispatchEvent(new ClipboardEvent('paste', init));
  }, text);
}

async function goToNumber(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('End');
}

async function typeInTurn(pages: Record<'sample' | 'baseline', Page>) {
  const measured = { sample: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < rounds; round += 1)
    for (const side of ['sample', 'baseline'] as const) {
      const page = pages[side];
      await page.bringToFront();
      measured[side].push(...(await pressKeys(page, keysPerRound)));
      await undoKeys(page, keysPerRound);
    }
  return measured;
}

/** Opens public projects in a fresh profile each, or a second time in it. */
function measureOpening(
  saveProjects: (account: BenchAccount) => Promise<Record<'sample' | 'baseline', string>>,
  { isWarm = false, pairs = rounds } = {},
): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const account = await createBenchAccount(await newContext(browser), workspace);
    const addresses = await saveProjects(account);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    // An extra round, because the first also starts processes and compiles.
    for (let round = -1; round < pairs; round += 1)
      for (const side of ['sample', 'baseline'] as const) {
        const context = await newContext(browser);
        const first = await openAt(context, addresses[side]);
        const ms = isWarm ? await openAt(context, addresses[side]) : first;
        if (round >= 0) measured[side].push(ms);
        await context.close();
      }
    return measured;
  });
}

/**
 * A project with 50 pictures, ten of them on its page, next to the same project without pictures.
 * Both pages have the same heading, whose frame is the first paint.
 */
async function saveGalleries(
  account: BenchAccount,
): Promise<Record<'sample' | 'baseline', string>> {
  const pictures = new Map<string, AssetFile>();
  for (let picture = 0; picture < 50; picture += 1)
    pictures.set(`pictures/${picture}.bmp`, await account.upload(createPicture(), 'image/bmp'));
  const shown = [...pictures.keys()].slice(0, 10);
  return {
    sample: await account.save(
      new Map<string, FileContent>([...createGallery(shown), ...pictures]),
    ),
    baseline: await account.save(createGallery([])),
  };
}

/** With about 80 bytes per line, 200 such files are 10 MiB. */
const linesOfTenMebibytes = 725;

export const benches: readonly Bench[] = [
  ...[10, 50, 200].map((count) => ({
    name: `sandbox/size-${count}`,
    run: () => measureKeys(createGrowthProject(count, 40)),
  })),
  {
    name: 'sandbox/size-10mib',
    run: () => measureKeys(createGrowthProject(200, linesOfTenMebibytes)),
  },
  { name: 'sandbox/beside-long-file', run: () => measureKeys(createGrowthProject(5, longLines)) },
  { name: 'sandbox/long-file', run: measureLongFile },
  {
    name: 'sandbox/open-200',
    run: () =>
      measureOpening(async (account) => ({
        sample: await account.save(createGrowthProject(200, 40)),
        baseline: await account.save(smallest),
      })),
  },
  {
    name: 'sandbox/open-50-assets-cold',
    run: () => measureOpening(saveGalleries, { pairs: countRounds(20) }),
  },
  {
    name: 'sandbox/open-50-assets-warm',
    run: () => measureOpening(saveGalleries, { pairs: countRounds(20), isWarm: true }),
  },
];
