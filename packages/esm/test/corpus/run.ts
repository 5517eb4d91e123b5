/**
 * Runs the exercises of a list against a package server with its own store and the registry of npm's
 * settings:
 *
 *   node packages/esm/test/corpus/run.ts LIST STORE [--seconds=N | NAME,NAME…]
 *
 * Prints a line for each package. The results are stored in STORE/LIST.jsonl: the next run continues
 * a run that ended after its seconds, and runs the given names again. AT_ONCE=N runs N at a time,
 * which is faster overall and says less about how long each takes. Prints how many of all stored
 * results passed and the figures of docs/packages.md, and exits with 1 when the whole list was run and
 * fewer passed than the list requires.
 */
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { chromium } from '@playwright/test';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPackageServer, readRegistrySettings } from '../../src/index.ts';
import { isExerciseList, readExercises, type Exercise } from '@vitrine/testing/corpus/exercises';
import { openExercisePlace, type Outcome } from '@vitrine/testing/corpus/page';

const wantedShares = {
  popular: 0.99,
  fresh: 0.95,
  'fresh-2': 0.95,
  'fresh-3': 0.95,
  'fresh-4': 0.95,
  'fresh-5': 0.95,
  mixes: 1,
};

const [list = '', folder = '', more = ''] = process.argv.slice(2);
if (!isExerciseList(list) || folder === '')
  throw new Error(`${Object.keys(wantedShares).join('|')} STORE [--seconds=N | NAME,NAME…]`);
const record = join(folder, `${list}.jsonl`);
const exercises = readExercises(list);
const seconds = Number(/^--seconds=(\d+)$/.exec(more)?.[1] ?? Infinity);
const again = new Set(more === '' || Number.isFinite(seconds) ? [] : more.split(','));

const appOrigin = 'http://127.0.0.1:1';
const server = await createPackageServer({
  folder,
  appOrigins: [appOrigin],
  registry: await readRegistrySettings({
    folder: process.cwd(),
    env: process.env,
    tarballHosts: [],
  }),
  installed: [],
  log: { info: () => undefined, warn: console.warn, error: console.error },
});
const browser = await chromium.launch(getChromiumOptions('--enable-unsafe-swiftshader'));
const place = await openExercisePlace(server, appOrigin, 120_000);
const end = performance.now() + seconds * 1_000;
const waiting = chooseExercises().values();
await Promise.all(Array.from({ length: Number(process.env['AT_ONCE'] ?? 1) }, runWaiting));
await browser.close();
await place.close();
await server.close();
const outcomes = readOutcomes();
const passed = [...outcomes.values()].filter((outcome) => outcome.passed);
printFigures(outcomes.size, passed);
const isWhole = outcomes.size === exercises.length;
process.exit(isWhole && passed.length < wantedShares[list] * exercises.length ? 1 : 0);

async function runWaiting(): Promise<void> {
  for (const exercise of waiting) {
    if (performance.now() > end) return;
    const outcome = await place.run(exercise, browser);
    if (!browser.isConnected()) throw new Error(`Chromium ended during ${exercise.name}`);
    const { name, passed, why = '', resolveMs, loadMs, requests, kilobytes } = outcome;
    console.log(passed ? 'ok  ' : 'FAIL', name, resolveMs, loadMs, requests, kilobytes, why);
    appendFileSync(record, `${JSON.stringify(outcome)}\n`);
  }
}

function chooseExercises(): Exercise[] {
  const known = readOutcomes();
  return exercises.filter(({ name }) => (again.size > 0 ? again.has(name) : !known.has(name)));
}

/** Name → last result. */
function readOutcomes(): Map<string, Outcome> {
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  const all = lines.map((line) => JSON.parse(line) as Outcome);
  return new Map(all.map((outcome) => [outcome.name, outcome]));
}

function printFigures(count: number, outcomes: readonly Outcome[]): void {
  console.log(`${outcomes.length} of ${count} passed`);
  for (const figure of ['resolveMs', 'loadMs', 'requests', 'kilobytes'] as const) {
    const sorted = outcomes.map((outcome) => outcome[figure] ?? 0).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
    console.log(`${figure}: p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`);
  }
}
