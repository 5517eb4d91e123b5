import { defineConfig } from 'vitest/config';

/** It bounds times, with a browser in between: another one beside it would be measured too. */
export const timedTests = ['test/runaway.test.ts'];

export default defineConfig({
  test: {
    name: '@vitrine/sandbox, timed',
    include: timedTests,
    fileParallelism: false,
    globalSetup: ['test/rig/build-all.ts'],
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
