import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    maxWorkers: 2,
    globalSetup: ['@vitrine/testing/cluster'],
    setupFiles: ['../../scripts/random-seed.js'],
    // A busy machine starts a cluster in several seconds.
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
