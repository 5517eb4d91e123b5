import { configDefaults, defineConfig } from 'vitest/config';
import { timedTests } from './vitest.timed.config.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...timedTests],
    globalSetup: ['test/rig/build-all.ts'],
    maxWorkers: 2,
    // CI’s machine is shared, and these tests wait for browsers.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
