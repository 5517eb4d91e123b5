/**
 * From an import to a working package in a fresh browser, next to the least that could load it (see
 * baseline.ts): before it was ever built, and once it is built.
 */
import { chromium, type Browser } from 'playwright-core';
import type { Exercise } from '@vitrine/testing/corpus/exercises';
import type { Bench, Measurement } from '../bench.ts';
import { bundleScript, serveBaselinePage, type BaselinePage } from './baseline.ts';
import { measureOpening } from './opening.ts';
import {
  openPackageServerRig,
  resolvePackages,
  settings,
  type PackageServerRig,
} from './server-rig.ts';
import { packageSubjects } from './subjects.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const warmRounds = 3;

/**
 * Each package with an empty store, from the resolved versions: downloading, unpacking,
 * building and loading.
 */
function measureFirstBuild(): Promise<Measurement> {
  return withBrowser(async (browser, baseline) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    for (const subject of packageSubjects) {
      const place = await openPackageServerRig();
      try {
        const { lock } = await resolvePackages(place, subject);
        measured.sample.push(await load(place, subject, browser));
        const started = performance.now();
        baseline.show(await bundleScript(subject.script, lock, settings));
        const bundledMs = performance.now() - started;
        measured.baseline.push(bundledMs + (await loadBaseline(baseline, subject, browser)));
      } finally {
        await place.close();
      }
    }
    return { ...measured, unit: 'ms' };
  });
}

/** All packages with one store that has built them. */
function measureWarm(): Promise<Measurement> {
  return withBrowser(async (browser, baseline) => {
    const measured = { sample: [] as number[], baseline: [] as number[] };
    const place = await openPackageServerRig();
    try {
      for (const subject of packageSubjects) {
        const { lock } = await resolvePackages(place, subject);
        baseline.show(await bundleScript(subject.script, lock, settings));
        // The first round builds the packages for the others.
        await load(place, subject, browser);
        for (let round = 0; round < warmRounds; round += 1) {
          measured.sample.push(await load(place, subject, browser));
          measured.baseline.push(await loadBaseline(baseline, subject, browser));
        }
      }
    } finally {
      await place.close();
    }
    return { ...measured, unit: 'ms' };
  });
}

async function withBrowser<T>(work: (browser: Browser, baseline: BaselinePage) => Promise<T>) {
  const baseline = await serveBaselinePage();
  const browser = await chromium.launch(getChromiumOptions());
  try {
    return await work(browser, baseline);
  } finally {
    await browser.close();
    baseline.close();
  }
}

/** Loads a package. Throws if it doesn't work, since its time would be meaningless. */
async function load(place: PackageServerRig, subject: Exercise, browser: Browser): Promise<number> {
  const { passed, loadMs, why } = await place.run(subject, browser);
  if (!passed || loadMs === undefined) throw new Error(`${subject.name} doesn’t work: ${why}`);
  return loadMs;
}

async function loadBaseline(
  baseline: BaselinePage,
  subject: Exercise,
  browser: Browser,
): Promise<number> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(baseline.address);
    const started = performance.now();
    const value = await page.evaluate(async () => {
      const loaded: { default: unknown } = await import(new URL('/script.js', location.href).href);
      return loaded.default;
    });
    if (value !== true) throw new Error(`${subject.name} doesn’t work in the baseline`);
    return performance.now() - started;
  } finally {
    await context.close();
  }
}

export const benches: readonly Bench[] = [
  { name: 'packages/first-build', run: measureFirstBuild },
  { name: 'packages/warm', run: measureWarm },
  { name: 'packages/open-react-mui-three-d3', run: measureOpening },
];
