// @ts-check
/**
 * `npm test`: installs what tests need, then runs the unit and integration tests and the main
 * user journeys in Chromium and Firefox. `npm test -- --all`, as in CI, also runs the other
 * end-to-end tests, one in WebKit. `npm test -- NAME…` runs only tests whose file or title contains a NAME.
 *
 * Randomized tests share a seed, which is printed. `SEED=… npm test` reproduces a run.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureBrowsers } from './browsers.js';
import { build } from './build.js';
import { Failure, fail, install, node, root, run, say } from './install.js';

const results = `${root}.cache/test`;
const seed = process.env['SEED'] ?? String(Date.now() % 2 ** 31);

try {
  await install({ development: true });
  const all = process.argv.includes('--all');
  const names = process.argv.slice(2).filter((name) => name !== '--all');
  const selection = names.length > 0 ? findTests(names) : undefined;
  if (!selection || needsBrowsers(selection)) {
    await ensureBrowsers({ all });
    await run(node, [`${root}apps/cli/vitrine.js`, 'functions', 'install']);
    await build();
  }
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  say(`Random seed: ${seed}`);
  report(selection ? await runSelected(selection) : await runSuite(all));
} catch (error) {
  fail(error);
}

/** The tests of these packages run in Node alone. @param {Selection} selection */
function needsBrowsers({ unit, browser }) {
  return browser.length > 0 || !unit.every((file) => /^packages\/(project|compiler)\//.test(file));
}

/**
 * Runs the default suite.
 * @param {boolean} all Whether to run the other end-to-end tests, too.
 */
async function runSuite(all) {
  // In the background, because tests leave a processor idle now and then.
  const checked = runInBackground(node, [`${root}scripts/check.js`]);
  const steps = [
    await runUnitTests([]),
    await runBrowserTests('journeys', ['--grep', '@journey']),
    ...(all ? [await runBrowserTests('rest', ['--grep-invert', '@journey|@long|@registry'])] : []),
  ];
  return [...steps, showCheck(await checked)];
}

/** @param {Selection} selection */
async function runSelected({ unit, browser, title }) {
  // Includes tests that `npm test` skips as too long.
  process.env['LONG'] = '1';
  const pattern = title?.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const steps = [];
  if (unit.length > 0)
    steps.push(await runUnitTests([...unit, ...(pattern ? ['-t', pattern] : [])]));
  if (browser.length > 0)
    steps.push(
      await runBrowserTests('selected', [
        '--pass-with-no-tests',
        ...browser,
        ...(pattern ? ['-g', pattern] : []),
      ]),
    );
  return steps;
}

/** @param {string[]} options */
function runUnitTests(options) {
  return step('unit and integration tests', node, [
    `${root}node_modules/vitest/vitest.mjs`,
    'run',
    '--reporter=default',
    `--reporter=${root}scripts/unit-report.js`,
    '--passWithNoTests=false',
    // CI's machine is shared. Tests that pass only on retry are reported at the end.
    ...(process.env['CI'] ? ['--retry=1'] : []),
    ...options,
  ]);
}

/** @param {string} part @param {string[]} options */
function runBrowserTests(part, options) {
  const playwright = `${root}node_modules/@playwright/test/cli.js`;
  return step(
    `end-to-end tests: ${part}`,
    node,
    [playwright, 'test', '--config', `${root}e2e/playwright.config.ts`, ...options],
    { E2E_REPORT: `${results}/e2e-${part}.json` },
  );
}

/**
 * @typedef {object} Selection
 * @property {string[]} unit Vitest files.
 * @property {string[]} browser Playwright files.
 * @property {string} [title] Part of the titles to run; all tests of the files by default.
 */

/**
 * Finds test files by a part of their path, or otherwise by a title that they contain.
 * @param {string[]} names @returns {Selection}
 */
function findTests(names) {
  const files = ['apps', 'packages', 'scripts', 'e2e'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter(
        (path) => /\.(test|spec)\.[jt]s$/.test(path) && !/(^|\/)(node_modules|build)\//.test(path),
      )
      .map((path) => `${folder}/${path}`),
  );
  const byPath = files.filter((file) => names.some((name) => file.includes(name)));
  const title = byPath.length > 0 ? undefined : names.join(' ');
  const found =
    title === undefined
      ? byPath
      : files.filter((file) => readFileSync(`${root}${file}`, 'utf8').includes(title));
  if (found.length === 0) throw new Failure(`No test file or title contains “${names.join(' ')}”.`);
  return {
    unit: found.filter((file) => !file.startsWith('e2e/')),
    browser: found.filter((file) => file.startsWith('e2e/')),
    ...(title !== undefined && { title }),
  };
}

/**
 * Prints failed tests, tests that passed only on retry, and the counts, then exits.
 * @param {boolean[]} steps Whether each step succeeded.
 */
function report(steps) {
  let passed = 0;
  let failed = 0;
  for (const name of readdirSync(results).filter((each) => each.endsWith('.json'))) {
    const report = JSON.parse(readFileSync(`${results}/${name}`, 'utf8'));
    /** @type {import('./unit-report.js').TestReport} */
    const counts = name === 'unit.json' ? report : countBrowserTests(report.suites);
    for (const title of counts.flaky) say(`passed on retry: ${title}`);
    for (const title of counts.failed) say(`failed: ${title}`);
    passed += counts.passed;
    failed += counts.failed.length;
  }
  if (passed + failed === 0) say('\nNo test has such a title.');
  say(`\n${passed} passed, ${failed} failed`);
  process.exit(steps.every(Boolean) && failed === 0 && passed > 0 ? 0 : 1);
}

/**
 * Counts the tests of Playwright’s JSON report.
 * @param {any[]} suites @returns {import('./unit-report.js').TestReport}
 */
function countBrowserTests(suites) {
  const tests = suites.flatMap(listTests);
  const titlesOf = (/** @type {string} */ status) =>
    tests.filter((test) => test.status === status).map((test) => test.title);
  const flaky = titlesOf('flaky');
  return {
    passed: titlesOf('expected').length + flaky.length,
    failed: titlesOf('unexpected'),
    flaky,
  };
}

/**
 * @param {any} suite A file, or a group of tests in it.
 * @returns {{ title: string, status: string }[]}
 */
function listTests({ file, specs = [], suites = [] }) {
  const own = specs.map((/** @type {any} */ spec) => ({
    title: `e2e/${file} › ${spec.title}`,
    status: spec.tests[0].status,
  }));
  return [...own, ...suites.flatMap(listTests)];
}

/**
 * Runs one step. Later steps run even if it fails.
 * @param {string} name @param {string} command @param {string[]} args @param {Record<string,
 * string>} [env]
 */
async function step(name, command, args, env) {
  say(`\n— ${name}`);
  try {
    await run(command, args, { SEED: seed, ...env });
    return true;
  } catch (error) {
    say(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/**
 * Runs a command in the background and collects its output.
 * @param {string} command @param {string[]} args
 * @returns {Promise<{ succeeded: boolean, output: string }>}
 */
function runInBackground(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ succeeded: code === 0, output }));
  });
}

/** @param {{ succeeded: boolean, output: string }} check */
function showCheck({ succeeded, output }) {
  say(`\n— check\n${output}`);
  if (!succeeded) say('check failed. See above.');
  return succeeded;
}
