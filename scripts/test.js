// @ts-check
/** `npm test`: installs what tests need and runs everything but the long runs of `npm run endure`. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { ensureBrowsers } from './browsers.js';
import { build } from './build.js';
import { fail, install, node, root, run, say } from './install.js';

const results = `${root}.cache/test`;

try {
  await install({ development: true });
  await ensureBrowsers();
  await build();
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const steps = [
    await step('check', node, [`${root}scripts/check.js`]),
    await step('unit and integration tests', node, [
      `${root}node_modules/vitest/vitest.mjs`,
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${results}/vitest.json`,
    ]),
    await step('end-to-end tests', node, [
      `${root}node_modules/@playwright/test/cli.js`,
      'test',
      '--config',
      `${root}e2e/playwright.config.ts`,
    ]),
  ];
  const { passed, failed } = count();
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

function count() {
  const vitest = JSON.parse(readFileSync(`${results}/vitest.json`, 'utf8'));
  const { expected, unexpected, flaky } = JSON.parse(
    readFileSync(`${results}/playwright.json`, 'utf8'),
  ).stats;
  return {
    passed: vitest.numPassedTests + expected + flaky,
    failed: vitest.numFailedTests + unexpected,
  };
}
