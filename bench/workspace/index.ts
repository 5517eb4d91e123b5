/**
 * From a key in the workspace's editor to the frame that shows it, with default settings,
 * next to bare CodeMirror and the least that a page can do: posting a message to a frame
 * in another process, or (for scripts that need a new document) a new `srcdoc`.
 */
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { startBaseline, type Baseline } from './baseline.ts';
import { hanging, fixLoop, stopAndRun } from './hanging.ts';
import { startWorkspace, type BenchServer } from './server.ts';
import { subjects, type Subject } from './subjects.ts';
import { openAt, saveProject } from './opening.ts';
import { newContext, pressKeys, untilQuiet } from './typing.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const rounds = countRounds(6);
const keysPerRound = 6;

/** Starts both sides and a browser, and closes them after the work. */
export async function withBaseline(
  work: (
    browser: Browser,
    workspace: BenchServer,
    baseline: Baseline,
  ) => Promise<Omit<Measurement, 'unit'>>,
): Promise<Measurement> {
  const [workspace, baseline] = [await startWorkspace(), await startBaseline()];
  const browser = await chromium.launch(getChromiumOptions());
  try {
    return { ...(await work(browser, workspace, baseline)), unit: 'ms' };
  } finally {
    await browser.close();
    await Promise.all([workspace.close(), baseline.close()]);
  }
}

function measureKeys(subject: Subject): Promise<Measurement> {
  return withBaseline(async (browser, workspace, baseline) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      measured.sample.push(...(await typeInWorkspace(browser, workspace, subject)));
      measured.baseline.push(...(await typeInBaseline(browser, baseline, subject)));
    }
    return measured;
  });
}

/** The srcdoc transport next to the isolated-origin transport. */
function measureSrcdoc(subject: Subject): Promise<Measurement> {
  return withBaseline(async (browser, served) => {
    const srcdoc = { ...served, address: served.address.replace(/\/\/[^:]+/, '//127.0.0.1') };
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      measured.sample.push(...(await typeInWorkspace(browser, srcdoc, subject)));
      measured.baseline.push(...(await typeInWorkspace(browser, served, subject)));
    }
    return measured;
  });
}

/** One sample per round, because detecting a hang takes time. */
function measureHanging(act: (page: Page) => Promise<number[]>): Promise<Measurement> {
  return withBaseline(async (browser, workspace, baseline) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const page = await openWorkspace(browser, workspace, hanging);
      measured.sample.push(...(await act(page)));
      await page.context().close();
      measured.baseline.push(...(await typeInBaseline(browser, baseline, hanging)));
    }
    return measured;
  });
}

/** Opens a public project as another user. */
function measureOpening(template: string, isWarm: boolean): Promise<Measurement> {
  return withBaseline(async (browser, workspace, baseline) => {
    const project = await saveProject(await newContext(browser), workspace.address, template);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    // An extra round, because the first also starts processes and builds packages.
    for (let round = -1; round < rounds + 4; round += 1)
      for (const [side, address] of [
        ['sample', project],
        ['baseline', `${baseline.address}/bare`],
      ] as const) {
        const context = await newContext(browser);
        const first = await openAt(context, address);
        const ms = isWarm ? await openAt(context, address) : first;
        if (round >= 0) measured[side].push(ms);
        await context.close();
      }
    return measured;
  });
}

async function typeInWorkspace(
  browser: Browser,
  workspace: BenchServer,
  subject: Subject,
): Promise<number[]> {
  const page = await openWorkspace(browser, workspace, subject);
  const heading = findHeading(page);
  const state = await heading.getAttribute('data-state');
  if (!subject.isEarly) await untilQuiet(browser);
  const samples = await pressKeys(page, keysPerRound);
  if ((await heading.getAttribute('data-state')) !== state)
    throw new Error(`${subject.name} didn’t keep the page’s state`);
  await page.context().close();
  return samples;
}

/** Opens a draft of the subject that shows 1, with the cursor after it. */
async function openWorkspace(
  browser: Browser,
  workspace: BenchServer,
  subject: Subject,
): Promise<Page> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`${workspace.address}/new/${subject.template}`);
  for (const [path, text] of Object.entries(subject.files)) {
    await page.getByRole('tab', { name: path, exact: true }).click();
    await page.getByRole('textbox', { name: `Editor: ${path}` }).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }
  await findHeading(page).getByText('Bench 1').waitFor();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('End');
  return page;
}

/** With the srcdoc transport, a new page overlays the old one. */
function findHeading(page: Page): Locator {
  return page.frameLocator('iframe[title="Result"]').last().locator('h1');
}

async function typeInBaseline(
  browser: Browser,
  baseline: Baseline,
  subject: Subject,
): Promise<number[]> {
  const context = await newContext(browser);
  const page = await context.newPage();
  await page.goto(`${baseline.address}/${subject.baseline}`);
  await page.frameLocator('iframe').locator('h1').getByText('Bench 1').waitFor();
  await page.locator('.cm-content').click();
  await page.keyboard.press('End');
  if (!subject.isEarly) await untilQuiet(browser);
  const samples = await pressKeys(page, keysPerRound);
  await context.close();
  return samples;
}

export const benches: readonly Bench[] = [
  ...subjects.map((subject) => ({
    name: `sandbox/${subject.name}`,
    run: () => measureKeys(subject),
  })),
  ...subjects
    .filter(({ isEarly = false }) => !isEarly)
    .map((subject) => ({
      name: `sandbox/srcdoc-${subject.name}`,
      run: () => measureSrcdoc(subject),
    })),
  { name: 'sandbox/stalled-fix', run: () => measureHanging(fixLoop) },
  { name: 'sandbox/stop-fresh', run: () => measureHanging(stopAndRun) },
  { name: 'sandbox/open-cold', run: () => measureOpening('html', false) },
  { name: 'sandbox/open-warm', run: () => measureOpening('html', true) },
  { name: 'sandbox/open-react-cold', run: () => measureOpening('react', false) },
  { name: 'sandbox/open-react-warm', run: () => measureOpening('react', true) },
];
