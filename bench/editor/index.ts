/**
 * The latency of TypeScript's language service: from the key that requests completions to
 * the frame that shows them, in a React and TypeScript project, next to bare CodeMirror with a list
 * at hand; and from opening that project in a fresh browser to the first
 * type information, next to the time until its editor is ready.
 */
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { fileURLToPath } from 'node:url';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { withBaseline } from '../workspace/index.ts';
import { saveProject } from '../workspace/opening.ts';
import { newContext } from '../workspace/typing.ts';
import { benches as longFiles } from './long-files.ts';
import { benches as mounting } from './mounting.ts';
import { watchLanguage } from './watch.ts';

/** The last letter of each requests completions. */
const inputs = ['document.', 'count.', 'Math.', 'useE', 'JSON.', 'setC', "'a'.", 'window.'];

function measureCompletion(): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const page = await openProject(browser, `${workspace.address}/new/react`);
    const bare = await openBaseline(browser);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = -1; round < countRounds(5); round += 1)
      for (const text of inputs) {
        const [sample, baseline] = [await complete(page, text), await complete(bare, text)];
        if (round < 0) continue;
        measured.sample.push(sample);
        measured.baseline.push(baseline);
      }
    return measured;
  });
}

function measureFirstTypes(): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const project = await saveProject(await newContext(browser), workspace.address, 'react');
    const measured = { sample: [] as number[], baseline: [] as number[] };
    // An extra round, because the first also builds packages and collects their declarations.
    for (let round = -1; round < countRounds(6); round += 1) {
      const page = await openProject(browser, project);
      const { editorMs, typesMs } = await page.evaluate(() => window.language);
      await page.context().close();
      if (round < 0) continue;
      measured.sample.push(typesMs);
      measured.baseline.push(editorMs);
    }
    return measured;
  });
}

/** Opens a project in a fresh browser and waits for the first type information. */
async function openProject(browser: Browser, address: string): Promise<Page> {
  const context = await newContext(browser);
  await context.addInitScript(watchLanguage);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => window.language.typesMs > 0);
  await page.getByRole('textbox', { name: 'Editor: App.tsx' }).click();
  await page.keyboard.press('ControlOrMeta+Home');
  for (let line = 0; line < 3; line += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  return page;
}

async function openBaseline(browser: Browser): Promise<Page> {
  const context = await newContext(browser);
  await context.addInitScript(watchLanguage);
  const page = await context.newPage();
  await page.goto('about:blank');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./baseline-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
  });
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  await page.locator('.cm-content').click();
  return page;
}

/** Types text on its own line and deletes it again. */
async function complete(page: Page, text: string): Promise<number> {
  await page.keyboard.insertText(text.slice(0, -1));
  await closeList(page);
  await page.evaluate(() => (window.language.listMs = []));
  await page.keyboard.press(text.at(-1) ?? '');
  await page.waitForFunction(() => window.language.listMs.length > 0);
  const [ms = Number.NaN] = await page.evaluate(() => window.language.listMs);
  await closeList(page);
  await page.keyboard.press('Shift+Home');
  await page.keyboard.press('Delete');
  return ms;
}

/** Closes the completion list, which earlier typing may still open. */
async function closeList(page: Page): Promise<void> {
  await page.waitForTimeout(300);
  await page.keyboard.press('Escape');
  await page.locator('.cm-tooltip-autocomplete').waitFor({ state: 'detached' });
}

export const benches: readonly Bench[] = [
  { name: 'editor/completion', run: measureCompletion },
  { name: 'editor/first-types', run: measureFirstTypes },
  ...mounting,
  ...longFiles,
];
