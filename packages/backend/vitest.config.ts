import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    maxWorkers: 2,
    globalSetup: ['test/cluster.ts'],
    // A busy machine starts a cluster in several seconds.
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
