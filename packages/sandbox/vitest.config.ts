import { configDefaults, defineConfig } from 'vitest/config';
import { isWhole } from './test/rig/transports.ts';
import { timedTests } from './vitest.timed.config.ts';

/** A third of the conformance table once more, and the contract in a third browser. */
const longTests = ['test/conformance-firefox.test.ts', 'test/webkit.test.ts'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['../../scripts/random-seed.js'],
    exclude: [...configDefaults.exclude, ...timedTests, ...(isWhole ? [] : longTests)],
    globalSetup: ['test/rig/build-all.ts'],
    maxWorkers: 2,
    // CI’s machine is shared, and these tests wait for browsers.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
