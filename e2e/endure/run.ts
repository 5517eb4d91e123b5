/**
 * The long test runs. Each exits with 1 on failure. `npm run endure` runs
 * those that need no registry, `npm run endure -- NAME…` the named ones:
 *
 *   kills       F-01, F-02: kills of server and database, while users save (KILLS, SEED)
 *   faults      F-08, F-14, F-31, F-32 and kills, while users save and upload (FAULTS rounds, SEED)
 *   builds      PK-19: kills of two servers with one store, while they build packages
 *               (BUILD_KILLS, SEED)
 *   fuzz        tarballs, names, documents and lockfiles, FUZZ times as long as in the tests;
 *               tokens, auth and REST requests, forms and frames, FUZZ_MINUTES each
 *   project-life
 *               two users through the life of a project, next to a model, for FUZZ_MINUTES (SEED)
 *   machine     MACHINE_RUNS random event sequences of the preview's state machine, per transport
 *   conformance the sandbox tests, with both transports, and in Firefox and WebKit
 *   walk        every template and example without other hosts, then without a network
 *   vite        every template as a Vite project: npm install, dev and build, from npm's registry
 *   memory      memory of a tab after an hour of edits, performed within MINUTES
 *   bombs       generated inputs that could stop the server, of SEEDS seeds from SEED on, in one
 *               process and beside, while a visitor's times, the memory and the processes are watched
 *   few-bombs   SEEDS (8) of them, in one process, without comparing times and memory
 *   user        simulated users: SEEDS walks of STEPS steps, each checked; failures are shrunk;
 *               SEED replays one, TRANSPORT=srcdoc uses the srcdoc transport,
 *               BROWSER=firefox runs what it supports; resumes where it stopped
 *               (`.cache/endure`)
 *   packages    302 packages of the registry, in Chromium
 *   long        the end-to-end tests that `npm test` skips
 *   apart       the end-to-end tests with the app in one process and the backend in another
 *   beside      the same with two app processes on one port
 *   mixes       a single copy of React, Preact, Vue, three and Yjs in twenty mixes of packages
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killBuilds } from '../../packages/esm/test/build-kills.ts';
import type { ExerciseList } from '@vitrine/testing/corpus/exercises';
import { runBombs } from './bombs.ts';
import { runFaults } from './faults.ts';
import { createRandom, runKills } from './kills.ts';
import { watchMemory } from './memory.ts';
import { walkUsers } from './users.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

const runs: Readonly<Record<string, () => Promise<boolean>>> = {
  async kills() {
    const { acknowledged, wrong, kills } = await runKills(readCount('KILLS', 200), seed);
    say(
      `kills (seed ${seed}): ${kills.server} of the server, ${kills.postgres} of PostgreSQL; ${acknowledged} saves acknowledged, ${wrong.length} wrong`,
    );
    return wrong.length === 0;
  },
  async faults() {
    const report = await runFaults(readCount('FAULTS', 20), seed);
    const { acknowledged, faults, uploaded, wrong } = report;
    const happened = Object.entries(faults).map(([name, times]) => `${times} × ${name}`);
    say(
      `faults (seed ${seed}): ${happened.join(', ')}; ${acknowledged} saves and ${uploaded} uploads acknowledged, ${wrong.length} wrong ${wrong.slice(0, 5).join('; ')}`,
    );
    if (!('disk full' in faults)) say('faults: skipped “disk full”, which requires root');
    return wrong.length === 0;
  },
  async builds() {
    const report = await killBuilds(readCount('BUILD_KILLS', 10), createRandom(seed));
    const { rounds, whole, interrupted, wrong } = report;
    say(
      `builds (seed ${seed}): ${rounds} rounds, ${interrupted} with work cut off; ${whole} builds whole, ${wrong.length} wrong ${wrong.slice(0, 5).join('; ')}`,
    );
    return wrong.length === 0;
  },
  async fuzz() {
    const fuzz = (folder: string, names: string[], settings: Record<string, string>) => {
      const tests = names.map((name) => `test/${name}.test.ts`);
      const options = ['run', '--root', folder, '--testTimeout=3600000', ...tests];
      return succeeds(['node_modules/vitest/vitest.mjs', ...options], settings);
    };
    const packages = await fuzz('packages/esm', ['unpack', 'specs', 'documents'], {
      FUZZ: String(readCount('FUZZ', 50)),
    });
    const backend = await fuzz('packages/backend', ['fuzz', 'rest/hostile', 'realtime/hostile'], {
      FUZZ_MINUTES: String(readCount('FUZZ_MINUTES', 10)),
    });
    return packages && backend;
  },
  'project-life'() {
    const options = ['run', '--root', 'packages/backend', 'test/project-life'];
    return succeeds(['node_modules/vitest/vitest.mjs', ...options], {
      FUZZ_MINUTES: String(readCount('FUZZ_MINUTES', 10)),
    });
  },
  machine() {
    const options = ['run', '--root', 'packages/sandbox', '--testTimeout=3600000'];
    return succeeds(['node_modules/vitest/vitest.mjs', ...options, 'test/host/machine.test.ts'], {
      MACHINE_RUNS: String(readCount('MACHINE_RUNS', 10_000)),
    });
  },
  conformance() {
    const options = ['run', '--root', 'packages/sandbox'];
    return succeeds(['node_modules/vitest/vitest.mjs', ...options], { LONG: '1' });
  },
  long() {
    const options = ['test', '--config', 'e2e/playwright.config.ts', '--grep', '@long'];
    return succeeds(['node_modules/@playwright/test/cli.js', ...options], { LONG: '1' });
  },
  apart: () => runSuite('apart'),
  beside: () => runSuite('beside'),
  walk() {
    const options = ['test', '--config', 'e2e/playwright.config.ts', 'walk.spec.ts'];
    return succeeds(['node_modules/@playwright/test/cli.js', ...options], {
      WALK: 'whole',
      LONG: '1',
    });
  },
  vite() {
    const options = ['test', '--config', 'e2e/playwright.config.ts', 'vite-project.spec.ts'];
    return succeeds(['node_modules/@playwright/test/cli.js', ...options], { LONG: '1' });
  },
  async memory() {
    const report = await watchMemory(readCount('MINUTES', 60), (held) => say(JSON.stringify(held)));
    const [after, before] = [report.afterHour.megabytes, report.afterMinute.megabytes];
    say(`memory: ${before} MB after a minute, ${after} MB after an hour of edits`);
    return report.isRight;
  },
  user() {
    const seed = process.env['SEED'];
    return walkUsers({
      seeds: readCount('SEEDS', 40),
      steps: readCount('STEPS', 100),
      seed: seed === undefined ? undefined : Number(seed),
      transport: process.env['TRANSPORT'] === 'srcdoc' ? 'srcdoc' : 'origin',
      browser: process.env['BROWSER'] === 'firefox' ? 'firefox' : 'chromium',
      say,
    });
  },
  async bombs() {
    const options = { seeds: readCount('SEEDS', 200), seed, isMeasured: true, say };
    let isRight = true;
    for (const processes of ['', 'beside']) {
      process.env['PROCESSES'] = processes;
      say(`bombs ${processes || 'in one process'}`);
      isRight = (await runBombs(options)) && isRight;
    }
    return isRight;
  },
  'few-bombs': () => runBombs({ seeds: readCount('SEEDS', 8), seed, isMeasured: false, say }),
  packages: () => runLists(['popular', 'fresh', 'fresh-2', 'fresh-3', 'fresh-4', 'fresh-5']),
  mixes: () => runLists(['mixes']),
};

const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(runs, name));
if (unknown !== undefined)
  throw new Error(`unknown run ${unknown}, expected one of ${Object.keys(runs).join(', ')}`);
let isRight = true;
for (const name of named.length > 0 ? named : ['kills', 'faults', 'builds', 'fuzz']) {
  isRight = ((await runs[name]?.()) ?? false) && isRight;
}
process.exit(isRight ? 0 : 1);

function readCount(name: string, usual: number): number {
  return Number(process.env[name] ?? usual);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `SPECS` selects some of the files. */
function runSuite(processes: 'apart' | 'beside'): Promise<boolean> {
  const specs = process.env['SPECS']?.split(' ') ?? [];
  const selection = [...specs, '--grep-invert', '@registry'];
  const options = ['test', '--config', 'e2e/playwright.config.ts', ...selection];
  return succeeds(['node_modules/@playwright/test/cli.js', ...options], {
    PROCESSES: processes,
    LONG: '1',
  });
}

/**
 * Loads and exercises lists of real packages in Chromium, with an initially empty store and the
 * registry of npm's configuration. The popular packages and forty more take about half an hour.
 * Prints a line per package. Resolves to whether enough packages of each list passed.
 */
async function runLists(lists: readonly ExerciseList[]): Promise<boolean> {
  const store = await mkdtemp(join(tmpdir(), 'vitrine-endure-'));
  try {
    let isRight = true;
    for (const list of lists)
      isRight = (await succeeds(['packages/esm/test/corpus/run.ts', list, store], {})) && isRight;
    return isRight;
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}

/** Runs a program of this project, which prints its own results. */
async function succeeds(command: string[], env: Record<string, string>): Promise<boolean> {
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code]: unknown[] = await once(child, 'exit');
  return code === 0;
}
