/**
 * Runs the exercises of a list against a package server with a store of its own and the registry of
 * npm's settings:
 *
 *   node packages/esm/test/corpus/run.ts popular|fresh|mixes STORE [name,name…] [--mode=production]
 *
 * Prints a line for each package and, at the end, how many passed and the figures of docs/packages.md.
 */
import { chromium } from '@playwright/test';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPackageServer, readRegistrySettings } from '../../src/index.ts';
import { isExerciseList, readExercises } from './exercises.ts';
import { openExercisePlace, type Outcome } from './page.ts';

const [list = 'popular', folder = '', only] = process.argv.slice(2);
if (!isExerciseList(list) || folder === '') throw new Error('popular|fresh|mixes STORE');
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
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--enable-unsafe-swiftshader'],
});
const place = await openExercisePlace(server, appOrigin, 120_000);
const outcomes: Outcome[] = [];
for (const exercise of readExercises(list)) {
  if (only !== undefined && !only.split(',').includes(exercise.name)) continue;
  const outcome = await place.run(exercise, browser);
  outcomes.push(outcome);
  const { name, passed, why = '', resolveMs, loadMs, requests, kilobytes } = outcome;
  console.log(passed ? 'ok  ' : 'FAIL', name, resolveMs, loadMs, requests, kilobytes, why);
  appendFileSync(join(folder, `${list}.jsonl`), `${JSON.stringify(outcome)}\n`);
}
const passed = outcomes.filter((outcome) => outcome.passed);
console.log(`${passed.length} of ${outcomes.length}`);
for (const figure of ['resolveMs', 'loadMs', 'requests', 'kilobytes'] as const) {
  const sorted = passed.map((outcome) => outcome[figure] ?? 0).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))];
  console.log(`${figure}: p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}`);
}
if (passed.length < outcomes.length) process.exitCode = 1;
await browser.close();
await place.close();
await server.close();
