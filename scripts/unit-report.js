// @ts-check
/** Vitest reporter: writes the results of the unit tests to a file for `npm test`. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './install.js';

/** @typedef {import('vitest/node').Reporter} Reporter */

/**
 * @typedef {object} TestReport
 * @property {number} passed
 * @property {string[]} failed Each test with its file and the beginning of its error.
 * @property {string[]} flaky Tests that passed only on retry.
 */

/** @implements {Reporter} */
export default class UnitReport {
  /** @param {ReadonlyArray<import('vitest/node').TestModule>} modules */
  onTestRunEnd(modules) {
    /** @type {TestReport} */
    const report = { passed: 0, failed: [], flaky: [] };
    for (const module of modules) {
      const file = relative(root, module.moduleId);
      for (const error of module.errors()) report.failed.push(`${file}: ${describe(error)}`);
      for (const suite of module.children.allSuites())
        for (const error of suite.errors())
          report.failed.push(`${file} › ${suite.fullName}: ${describe(error)}`);
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        const name = `${file} › ${test.fullName}`;
        if (state === 'failed') report.failed.push(`${name}: ${describe(errors[0])}`);
        if (state === 'passed') report.passed++;
        if (test.diagnostic()?.flaky) report.flaky.push(name);
      }
    }
    writeFileSync(`${root}.cache/test/unit.json`, JSON.stringify(report));
  }
}

/**
 * Describes an error by its first lines, which have the seed and the input of a randomized test.
 * @param {{ message?: string } | undefined} error
 */
function describe(error) {
  const lines = error?.message?.split('\n').slice(0, 12) ?? ['unknown error'];
  return lines.map((line) => line.slice(0, 2000)).join('\n  ');
}
