/**
 * Typing while the preview is in an infinite loop, or logs 200 MB in 5 s: in the workspace, and in
 * bare CodeMirror next to a frame in another process that does the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startFirefox } from '@vitrine/testing/firefox';
import { chromium } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import type { Side } from '../sandbox/pages.ts';
import { startBaseline, type Baseline } from '../workspace/baseline.ts';
import { startWorkspace, type BenchServer } from '../workspace/server.ts';
import { watchKeystrokes } from './keystrokes.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const rounds = countRounds(5);
const keysPerRound = 40;
/** The pace of a fast typist. */
const pauseMs = 90;
const openedWithinMs = 6_000;

/** The page to type in, for both Playwright and Puppeteer. */
interface TypedPage {
  goto(address: string): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  close(): Promise<void>;
  readonly keyboard: {
    press(key: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
}

/** Opens a page in a fresh profile. */
type OpenPage = () => Promise<TypedPage>;

interface Hardship {
  /** The script in the frame, which posts `begun` first. */
  readonly script: string;
  /** The file to type in meanwhile, and its text. */
  readonly path: string;
  readonly text: string;
}

const say = (what: string) => `parent.postMessage({ says: ${JSON.stringify(what)} }, '*');`;

/** Types in a comment of the looping script, which is restarted after each pause. */
const loop: Hardship = {
  script: `${say('begun')} setTimeout(() => { for (;;); });`,
  path: 'script.js',
  text: '',
};

const floodMs = 5_000;

/**
 * Logs by time, so that a slow machine logs as much. Types in a stylesheet, which is hot-swapped.
 */
const flood: Hardship = {
  script: `const line = 'x'.repeat(10_000);
let lines = 0;
setTimeout(() => {
  ${say('begun')}
  const start = performance.now();
  const turn = () => {
    const spent = Math.min(performance.now() - start, ${floodMs});
    for (; lines < spent * 4; lines++) console.log(lines + line);
    if (spent < ${floodMs}) setTimeout(turn);
    else ${say('done')}
  };
  turn();
}, 1_500);`,
  path: 'style.css',
  text: 'h1 { color: teal }\n/* ',
};

interface Round {
  readonly samples: readonly number[];
  readonly worstGapMs: number;
}

async function typeInWorkspace(page: TypedPage, { address }: BenchServer, hardship: Hardship) {
  await page.goto(`${address}/new/html`);
  await until(page, `document.querySelector('[role=textbox][aria-label^="Editor: "]')`);
  await page.evaluate(`(${watchKeystrokes.toString()})()`);
  await until(page, `document.querySelector('iframe[title="Result"]')`);
  const { script, path, text } = hardship;
  // Typing while the page opens and its language services start, which a script's do once it is
  // opened, isn't measured here.
  await openFile(page, 'script.js');
  await delay(openedWithinMs);
  await retype(page, 'script.js', path === 'script.js' ? `${script}\n// ` : script);
  if (path !== 'script.js') await retype(page, path, text);
  await until(page, `letters.heard.includes('begun')`);
  return typeKeys(page);
}

async function typeInBaseline(page: TypedPage, { address }: Baseline, { script }: Hardship) {
  await page.goto(`${address}/told`);
  await page.evaluate(`(${watchKeystrokes.toString()})()`);
  await page.click('.cm-content');
  await page.evaluate(
    `document.querySelector('iframe').contentWindow.postMessage({ run: ${JSON.stringify(script)} }, '*')`,
  );
  await until(page, `letters.heard.includes('begun')`);
  return typeKeys(page);
}

/** Opens a file. Returns the selector of its editor. */
async function openFile(page: TypedPage, path: string): Promise<string> {
  const tab = `[...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent.trim() === ${JSON.stringify(path)})`;
  await page.evaluate(`${tab}.click()`);
  const editor = `[role=textbox][aria-label="Editor: ${path}"]`;
  await until(page, `document.querySelector('${editor}')`);
  return editor;
}

/** Replaces a file's text, with the cursor at the end. */
async function retype(page: TypedPage, path: string, text: string): Promise<void> {
  const editor = await openFile(page, path);
  await page.click(editor);
  await page.keyboard.down('Control');
  await page.keyboard.press('KeyA');
  await page.keyboard.up('Control');
  await page.evaluate(`document.execCommand('insertText', false, ${JSON.stringify(text)})`);
}

async function typeKeys(page: TypedPage): Promise<Round> {
  await page.evaluate('letters.samples.length = 0; letters.takeWorstGap()');
  for (let key = 0; key < keysPerRound; key += 1) {
    await page.keyboard.press('x');
    await delay(pauseMs);
  }
  await until(page, `letters.samples.length >= ${keysPerRound}`);
  const said = await page.evaluate('JSON.stringify([letters.samples, letters.takeWorstGap()])');
  const [samples, worstGapMs] = JSON.parse(String(said));
  return { samples, worstGapMs };
}

async function until(page: TypedPage, condition: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await page.evaluate(`Boolean(${condition})`))) {
    if (Date.now() > deadline) throw new Error(`condition not met: ${condition}`);
    await delay(50);
  }
}

async function measureRounds(open: OpenPage, hardship: Hardship): Promise<Record<Side, Round[]>> {
  const [workspace, baseline] = [await startWorkspace(), await startBaseline()];
  const measured: Record<Side, Round[]> = { sample: [], baseline: [] };
  const run = async (side: Side, type: (page: TypedPage) => Promise<Round>) => {
    const page = await open();
    measured[side].push(await type(page));
    await page.close();
  };
  try {
    for (let round = 0; round < rounds; round += 1) {
      await run('sample', (page) => typeInWorkspace(page, workspace, hardship));
      await run('baseline', (page) => typeInBaseline(page, baseline, hardship));
    }
  } finally {
    await Promise.all([workspace.close(), baseline.close()]);
  }
  return measured;
}

async function measureInChromium(hardship: Hardship): Promise<Record<Side, Round[]>> {
  const browser = await chromium.launch(getChromiumOptions());
  try {
    return await measureRounds(() => browser.newPage(), hardship);
  } finally {
    await browser.close();
  }
}

async function measureInFirefox(hardship: Hardship): Promise<Record<Side, Round[]>> {
  const firefox = await startFirefox();
  try {
    return await measureRounds(() => firefox.browser.newPage(), hardship);
  } finally {
    await firefox.close();
  }
}

/** Two benchmarks of the same rounds: time per key, and each round's longest gap. */
function figures(
  name: string,
  ending: string,
  measure: () => Promise<Record<Side, Round[]>>,
): Bench[] {
  let measuring: Promise<Record<Side, Round[]>> | undefined;
  const run =
    (samplesOf: (round: Round) => readonly number[]) => async (): Promise<Measurement> => {
      const { sample, baseline } = await (measuring ??= measure());
      return {
        sample: sample.flatMap(samplesOf),
        baseline: baseline.flatMap(samplesOf),
        unit: 'ms',
        ratioOf: 'p95',
      };
    };
  return [
    { name: `sandbox/${name}-key${ending}`, run: run(({ samples }) => samples) },
    { name: `sandbox/${name}-gap${ending}`, run: run(({ worstGapMs }) => [worstGapMs]) },
  ];
}

export const benches: readonly Bench[] = [
  ...figures('loop', '', () => measureInChromium(loop)),
  ...figures('flood', '', () => measureInChromium(flood)),
  ...figures('loop', '-firefox', () => measureInFirefox(loop)),
];
