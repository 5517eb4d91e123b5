/**
 * Typing in long files, with the preview running and all language services active, and how
 * fast a file of 1 MiB opens; next to bare CodeMirror with the same text.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { createBenchAccount, type BenchAccount } from '../scale/account.ts';
import { watchKeystrokes } from '../scale/keystrokes.ts';
import { withBaseline } from '../workspace/index.ts';
import { newContext, untilQuiet } from '../workspace/typing.ts';
import { openBare, startBare } from './bare.ts';

type Side = 'sample' | 'baseline';

/** One side's times in milliseconds: from each key to its frame, and each round's longest block. */
interface Typed {
  readonly keys: number[];
  readonly gaps: number[];
}

const page = `<!doctype html><html lang="en"><title>Bench</title><h1>Bench</h1><script type="module" src="script.js"></script></html>`;
/** Typed on its own line in the middle of the file: a declaration, a call, a comment. */
const typed = 'const longer = Math.max(first, 24); // what is longest';
/** The pace of a fast typist. */
const pauseMs = 90;
const mebibyte = 2 ** 20;

/** A script with this number of lines, in functions of four. */
function script(lines: number): string {
  const functions = Array.from(
    { length: Math.ceil(lines / 4) },
    (_, n) => `function f${n}(a, b) {\n  const c = a + b;\n  return c * ${n};\n}\n`,
  );
  return `const first = 1;\n${functions.join('')}`;
}

/** `isEarly`: each round opens both pages and types as soon as the editor is there. */
async function measureKeys(lines: number, isEarly: boolean): Promise<Record<Side, Typed>> {
  const measured = { sample: { keys: [], gaps: [] }, baseline: { keys: [], gaps: [] } } as {
    readonly [side in Side]: Typed;
  };
  const bare = await startBare();
  await withBaseline(async (browser, workspace) => {
    const context = await newContext(browser);
    const project = await save(await createBenchAccount(context, workspace), script(lines));
    const open = {
      sample: () => openScript(context, project),
      baseline: () => openBare(browser, bare, script(lines)),
    };
    if (isEarly) {
      for (let round = 0; round < countRounds(5); round += 1)
        for (const side of ['sample', 'baseline'] as const) {
          const opened = await open[side]();
          await goToMiddle(opened);
          await typeLine(opened, measured[side]);
          await opened.close({ runBeforeUnload: false });
        }
      return { sample: [], baseline: [] };
    }
    const pages = { sample: await open.sample(), baseline: await open.baseline() };
    for (const opened of Object.values(pages)) await goToMiddle(opened);
    await untilQuiet(browser);
    for (let round = 0; round < countRounds(5); round += 1)
      for (const side of ['sample', 'baseline'] as const)
        await typeLine(pages[side], measured[side]);
    return { sample: [], baseline: [] };
  });
  await bare.close();
  return measured;
}

/** Saves a public project whose page runs the script. */
function save(account: BenchAccount, text: string): Promise<string> {
  return account.save(
    new Map([
      ['index.html', page],
      ['script.js', text],
    ]),
  );
}

async function openScript(context: BrowserContext, address: string): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(address);
  await opened.frameLocator('iframe[title="Result"]').locator('h1').waitFor();
  await opened.getByRole('tab', { name: 'script.js', exact: true }).click();
  await opened.getByRole('textbox', { name: 'Editor: script.js' }).click();
  return opened;
}

async function goToMiddle(opened: Page): Promise<void> {
  await opened.locator('.cm-scroller').evaluate((scroller) => {
    scroller.scrollTop = scroller.scrollHeight / 2;
  });
  // The lines there are rendered with the next frame.
  await delay(500);
  await opened.locator('.cm-line', { hasText: '}' }).first().click();
  await opened.keyboard.press('End');
  await opened.evaluate(watchKeystrokes);
}

async function typeLine(opened: Page, { keys, gaps }: Typed): Promise<void> {
  await opened.bringToFront();
  await opened.keyboard.press('Enter');
  await delay(1_000);
  await opened.evaluate(() => {
    window.letters.samples.length = 0;
    window.letters.takeWorstGap();
  });
  for (const letter of typed) {
    await opened.keyboard.press(letter);
    await delay(pauseMs);
  }
  keys.push(...(await opened.evaluate(() => window.letters.samples)));
  gaps.push(await opened.evaluate(() => window.letters.takeWorstGap()));
  // A completion list may be open, which the first Escape closes.
  await opened.keyboard.press('Escape');
  await opened.keyboard.press('Shift+Home');
  await opened.keyboard.press('Delete');
}

function measureOpening(): Promise<Measurement> {
  const text = script(200_000).slice(0, mebibyte - 1);
  return withBaseline(async (browser, workspace) => {
    const bare = await startBare();
    const context = await newContext(browser);
    const sample = await context.newPage();
    await sample.goto(await save(await createBenchAccount(context, workspace), text));
    const baseline = await openBare(browser, bare, '');
    await sample.getByRole('tab', { name: 'script.js', exact: true }).waitFor();
    await untilQuiet(browser);
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < countRounds(6); round += 1) {
      measured.sample.push(await sample.evaluate(openTab, 'script.js'));
      await sample.evaluate(openTab, 'index.html');
      measured.baseline.push(await baseline.evaluate(openText, text));
      await baseline.evaluate(openText, '');
    }
    await bare.close();
    return measured;
  });
}

/** In the page: milliseconds from the click to the frame that shows the file. */
async function openTab(path: string): Promise<number> {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')];
  const tab = tabs.find(({ textContent }) => textContent.trim() === path);
  if (!tab) throw new Error(`there is no tab of ${path}`);
  const pressedAt = performance.now();
  tab.click();
  while (!document.querySelector(`[role=textbox][aria-label="Editor: ${path}"] .cm-line`))
    await new Promise((resolve) => setTimeout(resolve));
  await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve));
  return performance.now() - pressedAt;
}

async function openText(text: string): Promise<number> {
  const pressedAt = performance.now();
  window.showText?.(text);
  await new Promise(requestAnimationFrame);
  await new Promise((resolve) => setTimeout(resolve));
  return performance.now() - pressedAt;
}

/** Benchmarks of the same rounds: median and 95th percentile per key, and the gaps. */
function figures(lines: number, isEarly = false): Bench[] {
  const name = `${lines}-lines${isEarly ? '-early' : ''}`;
  let measuring: Promise<Record<Side, Typed>> | undefined;
  const run = (what: keyof Typed, ratioOf: 'p50' | 'p95') => async (): Promise<Measurement> => {
    const { sample, baseline } = await (measuring ??= measureKeys(lines, isEarly));
    return { sample: sample[what], baseline: baseline[what], unit: 'ms', ratioOf };
  };
  return [
    { name: `editor/key-${name}`, run: run('keys', 'p50') },
    { name: `editor/key-${name}-p95`, run: run('keys', 'p95') },
    { name: `editor/gap-${name}`, run: run('gaps', 'p50') },
  ];
}

export const benches: readonly Bench[] = [
  ...figures(5_000),
  ...figures(5_000, true),
  ...figures(50_000),
  { name: 'editor/open-1-mib', run: measureOpening },
];
