/**
 * 200 previews on one page through the host API, next to as many plain lazy frames of
 * the same pages. Each round has its own browser, and the cost of an empty page is
 * subtracted. The page is opened, left alone, then scrolled.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { limits, toTextFiles } from '@vitrine/project';
import { chromium, type Page } from 'playwright-core';
import { countRounds, type Bench, type Measurement } from '../bench.ts';
import { servePages, type Pages, type Side } from '../sandbox/pages.ts';
import { cards, filesOf, getCardSlug } from './gallery-projects.ts';
import { measureCost } from '@vitrine/testing/process-cost';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const rounds = countRounds(5);
const sides: readonly Side[] = ['sample', 'baseline'];
/** Time before the page is scrolled. */
const watchedMs = 6_000;
const scrolledMs = 6_000;

interface Round {
  /** CPU milliseconds and megabytes after the page was opened and left alone. */
  readonly opened: readonly [cpuMs: number, megabytes: number];
  /** CPU milliseconds and megabytes after it was scrolled and left alone. */
  readonly scrolled: readonly [cpuMs: number, megabytes: number];
  /** Milliseconds between frames while scrolling. */
  readonly frames: readonly number[];
}

async function runRound(pages: Pages, side: Side): Promise<Round> {
  const server = await chromium.launchServer(getChromiumOptions());
  const browser = await chromium.connect(server.wsEndpoint());
  try {
    const root = server.process().pid;
    if (root === undefined) throw new Error('the browser has no process');
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await delay(1_000);
    const empty = await measureCost(root);
    const since = async () => {
      const { cpuMs, megabytes } = await measureCost(root);
      return [cpuMs - empty.cpuMs, megabytes - empty.megabytes] as const;
    };
    await page.goto(pages.address(side, 'gallery'));
    await page.waitForFunction(() => window.findRunning().length > 0);
    await delay(watchedMs);
    if (side === 'sample') await checkRunning(page);
    const opened = await since();
    const frames = await scroll(page);
    await delay(watchedMs / 2);
    if (side === 'sample') await checkRunning(page);
    return { opened, scrolled: await since(), frames };
  } finally {
    await browser.close();
    await server.close();
  }
}

function scroll(page: Page): Promise<number[]> {
  return page.evaluate((durationMs) => window.scrollThrough(durationMs), scrolledMs);
}

/** Checks that visible cards run, up to the limit, before cards out of view. */
async function checkRunning(page: Page): Promise<void> {
  const [running, seen] = await page.evaluate(() => [window.findRunning(), window.findSeen()]);
  const wanted = Math.min(seen?.length ?? 0, limits.maxRunningPreviews);
  if (running?.length !== wanted || !running.every((card) => seen?.includes(card)))
    throw new Error(`the cards ${running?.join()} run while ${seen?.join()} are in view`);
}

async function measureRounds(): Promise<Record<Side, Round[]>> {
  const projects = Array.from({ length: cards }, (_, card) => ({
    id: getCardSlug(card),
    slug: getCardSlug(card),
    revision: 1,
    isPrivate: false,
    files: toTextFiles(filesOf(card)),
  }));
  const pages = await servePages({
    page: new URL('./gallery-page.ts', import.meta.url),
    projects,
    answer: async ({ url }) => answerBaseline(new URL(url)),
  });
  const measured: Record<Side, Round[]> = { sample: [], baseline: [] };
  try {
    for (let round = 0; round < rounds; round += 1)
      for (const side of sides) measured[side].push(await runRound(pages, side));
  } finally {
    await pages.close();
  }
  return measured;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
};

/** `/7/style.css` is that file of the eighth card. */
function answerBaseline({ hostname, pathname }: URL): Response | undefined {
  if (!hostname.startsWith('baseline.')) return undefined;
  const [, card, path] = /^\/(\d+)\/(.*)$/.exec(pathname) ?? [];
  const name = path === '' ? 'index.html' : path;
  const text = name === undefined ? undefined : filesOf(Number(card)).get(name);
  if (name === undefined || text === undefined) return new Response(null, { status: 404 });
  return new Response(text, {
    headers: {
      'Content-Type': types[name.split('.').at(-1) ?? ''] ?? 'text/plain',
      'Cache-Control': 'no-cache',
      'Origin-Agent-Cluster': '?1',
    },
  });
}

/** The rounds, shared by all benchmarks. */
let measuring: Promise<Record<Side, Round[]>> | undefined;

function figure(
  name: string,
  unit: Measurement['unit'],
  samplesOf: (round: Round) => readonly number[],
  ratioOf: Measurement['ratioOf'] = 'p50',
): Bench {
  return {
    name: `sandbox/${name}`,
    async run() {
      const { sample, baseline } = await (measuring ??= measureRounds());
      return {
        sample: sample.flatMap(samplesOf),
        baseline: baseline.flatMap(samplesOf),
        unit,
        ratioOf,
      };
    },
  };
}

export const benches: readonly Bench[] = [
  figure('gallery-cpu', 'ms', ({ opened: [cpuMs] }) => [cpuMs]),
  figure('gallery-memory', 'MB', ({ opened: [, megabytes] }) => [megabytes]),
  figure('gallery-cpu-scrolled', 'ms', ({ scrolled: [cpuMs] }) => [cpuMs]),
  figure('gallery-memory-scrolled', 'MB', ({ scrolled: [, megabytes] }) => [megabytes]),
  figure('gallery-scroll', 'ms', ({ frames }) => frames, 'p95'),
];
