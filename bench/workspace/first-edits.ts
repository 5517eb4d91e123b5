/**
 * The first eight edits after opening a saved project, one and ten seconds after its first preview,
 * as owner and as visitor, and with a core taken by another process: from each key to the frame that
 * shows it. The sample is the first edit, the baseline the eighth of the same page.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { createBenchAccount } from '../scale/account.ts';
import { withBaseline } from './index.ts';
import { subjects, type Subject } from './subjects.ts';
import { newContext, pressKey } from './typing.ts';

/** Time between two edits: that of somebody who looks at the result in between. */
const pauseMs = 400;
const editCount = 8;

interface Opening {
  readonly subject: Subject;
  readonly isOwner: boolean;
  /** Milliseconds from the first preview to the first edit. */
  readonly afterMs: number;
  /** Another process takes a core. */
  readonly isBusy: boolean;
}

function measureFirstEdit({ subject, isOwner, afterMs, isBusy }: Opening): Promise<Measurement> {
  return withBaseline(async (browser, workspace) => {
    const owner = await newContext(browser);
    const account = await createBenchAccount(owner, workspace);
    const files = await listFiles(subject);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    const other = isBusy ? spawn(process.execPath, ['-e', 'for (;;);']) : undefined;
    // An extra round, because the first builds packages.
    for (let round = -1; round < countRounds(10); round += 1) {
      const context = await newContext(browser);
      if (isOwner) await context.addCookies(await owner.cookies());
      const page = await openEditor(context, await account.save(files), subject);
      const shownMs = await page.evaluate(() => performance.now() - (window.typing.shownMs ?? 0));
      await delay(Math.max(0, afterMs - shownMs));
      const samples: number[] = [];
      for (let edit = 1; edit <= editCount; edit += 1) {
        samples.push(await pressKey(page, '1', '1'.repeat(edit + 1)));
        await delay(pauseMs);
      }
      await context.close();
      if (round < 0) continue;
      measured.sample.push(...samples.slice(0, 1));
      measured.baseline.push(...samples.slice(-1));
    }
    other?.kill();
    return measured;
  });
}

/** The template's files with those of the subject. */
async function listFiles({ template, files }: Subject): Promise<Map<string, string>> {
  const folder = new URL(`../../examples/${template}/`, import.meta.url);
  const needed =
    template === 'react' ? ['index.html', 'main.tsx', 'package.json', 'package-lock.json'] : [];
  const listed = new Map<string, string>();
  for (const name of needed) listed.set(name, await readFile(new URL(name, folder), 'utf8'));
  return new Map([...listed, ['style.css', ''], ...Object.entries(files)]);
}

/** Opens the project with the cursor after the number, once its preview is shown. */
async function openEditor(
  context: BrowserContext,
  address: string,
  { files }: Subject,
): Promise<Page> {
  const page = await context.newPage();
  const path = Object.keys(files).at(-1) ?? '';
  await page.goto(address);
  await page.waitForFunction(() => window.typing.shownMs !== undefined);
  await page.getByRole('tab', { name: path, exact: true }).click();
  await page.getByRole('textbox', { name: `Editor: ${path}` }).click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('End');
  return page;
}

const measured = subjects.filter(({ name }) => ['css', 'js-reload', 'react'].includes(name));

export const benches: readonly Bench[] = measured.flatMap((subject) =>
  [true, false].flatMap((isOwner) =>
    [
      { when: '1-s', afterMs: 1_000, isBusy: false },
      { when: '10-s', afterMs: 10_000, isBusy: false },
      { when: '1-s-busy', afterMs: 1_000, isBusy: true },
    ].map(({ when, ...opening }) => ({
      name: `first-edit/${subject.name}-${isOwner ? 'owner' : 'visitor'}-${when}`,
      run: () => measureFirstEdit({ subject, isOwner, ...opening }),
    })),
  ),
);
