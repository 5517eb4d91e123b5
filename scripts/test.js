// @ts-check
/** `npm test`: installs what tests need and runs everything but the long runs of `npm run endure`. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureBrowsers } from './browsers.js';
import { build } from './build.js';
import { fail, install, node, root, run, say } from './install.js';

const results = `${root}.cache/test`;

try {
  await install({ development: true });
  await ensureBrowsers();
  await run(node, [`${root}packages/backend/src/functions/command.ts`, 'install']);
  await build();
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  // What it reads of the project nobody changes meanwhile, and tests leave a processor idle now and then.
  const checked = runKept(node, [`${root}scripts/check.js`]);
  const steps = [
    await step('unit and integration tests', node, [
      `${root}node_modules/vitest/vitest.mjs`,
      'run',
      '--reporter=default',
      `--reporter=${root}scripts/unit-report.js`,
      // As in the browser: CI’s machine is shared, and what passes only the second time is named below.
      ...(process.env['CI'] ? ['--retry=1'] : []),
    ]),
    await step('end-to-end tests', node, [
      `${root}node_modules/@playwright/test/cli.js`,
      'test',
      '--config',
      `${root}e2e/playwright.config.ts`,
    ]),
    await showCheck(await checked),
  ];
  const unit = /** @type {import('./unit-report.js').TestReport} */ (read('unit.json'));
  const browser = read('playwright.json').stats;
  for (const name of unit.unsteady) say(`passed only when run again: ${name}`);
  for (const name of unit.failed) say(`failed: ${name}`);
  const passed = unit.passed + browser.expected + browser.flaky;
  const failed = unit.failed.length + browser.unexpected;
  say(`\n${passed} passed, ${failed} failed`);
  process.exit(steps.every(Boolean) && failed === 0 && passed > 0 ? 0 : 1);
} catch (error) {
  fail(error);
}

/**
 * Runs one part; a failed part does not keep the others from running.
 * @param {string} name @param {string} command @param {string[]} args @param {Record<string, string>} [env]
 */
async function step(name, command, args, env) {
  say(`\n— ${name}`);
  try {
    await run(command, args, env);
    return true;
  } catch (error) {
    say(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/**
 * Runs a command beside others; what it prints is kept until it has ended.
 * @param {string} command @param {string[]} args
 * @returns {Promise<{ succeeded: boolean, printed: string }>}
 */
function runKept(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (printed += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ succeeded: code === 0, printed }));
  });
}

/** @param {{ succeeded: boolean, printed: string }} check */
function showCheck({ succeeded, printed }) {
  say(`\n— check\n${printed}`);
  if (!succeeded) say('check: it found what stands above.');
  return succeeded;
}

/** @param {string} name */
function read(name) {
  return JSON.parse(readFileSync(`${results}/${name}`, 'utf8'));
}
