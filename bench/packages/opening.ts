/**
 * A saved project with React, MUI, three and D3, from the page's navigation to its rendering, in a
 * fresh browser; next to a frame whose script is a single bundle.
 */
import { toTextFiles } from '@vitrine/project';
import { chromium, type Browser } from 'playwright-core';
import { countRounds, type Measurement } from '../bench.ts';
import { servePages, type Pages, type Side } from '../sandbox/pages.ts';
import { bundleScript } from './baseline.ts';
import { openPackageServerRig, resolvePackages, settings } from './server-rig.ts';
import { fourLibraries } from './subjects.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const rounds = countRounds(8);
const sides: readonly Side[] = ['sample', 'baseline'];

const document = (script: string) =>
  `<!doctype html><html lang="en"><head><title>Four</title></head><body><div id="root"></div><svg id="chart"></svg>${script}</body></html>`;

export async function measureOpening(): Promise<Measurement> {
  const place = await openPackageServerRig();
  try {
    const { packageJson, lock } = await resolvePackages(place, fourLibraries);
    await place.packages.register(lock);
    const bundle = await bundleScript(fourLibraries.script, lock, settings);
    const texts = new Map([
      ['index.html', document('<script type="module" src="script.js"></script>')],
      ['script.js', fourLibraries.script],
      ['package.json', packageJson],
      ['package-lock.json', lock],
    ]);
    const files = toTextFiles(texts);
    /** Set once the packages are built, as the server does for saved projects. */
    const fullExportUrls = new Set<string>();
    const pages = await servePages({
      page: new URL('./open-page.ts', import.meta.url),
      projects: [
        { id: 'four', slug: 'fourfourfo', revision: 1, isPrivate: false, files, fullExportUrls },
      ],
      baselineFrame: document('<script type="module" src="/bundle.js"></script>'),
      async answer(request) {
        const { pathname } = new URL(request.url);
        if (pathname === '/bundle.js') return answerScript(bundle);
        if (pathname === '/files.json') return Response.json([...texts]);
        return place.packages.fetch(request);
      },
    });
    try {
      return await measure(pages, async () => {
        const known = await place.packages.register(lock);
        for (const address of known.fullExportUrls) fullExportUrls.add(address);
      });
    } finally {
      await pages.close();
    }
  } finally {
    await place.close();
  }
}

function answerScript(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'text/javascript' } });
}

async function measure(pages: Pages, learn: () => Promise<void>): Promise<Measurement> {
  const browser = await chromium.launch(getChromiumOptions());
  const measured = { sample: [] as number[], baseline: [] as number[] };
  try {
    // Two extra rounds: the first builds the packages, the second warms up caches and processes.
    for (let round = -2; round < rounds; round += 1) {
      for (const side of sides) {
        const ms = await openOnce(browser, pages.address(side, 'open'));
        if (round >= 0) measured[side].push(ms);
      }
      if (round < 0) await learn();
    }
  } finally {
    await browser.close();
  }
  return { ...measured, unit: 'ms' };
}

async function openOnce(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForFunction(() => window.openedMs !== undefined, undefined, {
      timeout: 120_000,
    });
    return Number(await page.evaluate(() => window.openedMs));
  } finally {
    await context.close();
  }
}
