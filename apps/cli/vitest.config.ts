import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    maxWorkers: 2,
    globalSetup: ['@vitrine/testing/cluster'],
    setupFiles: ['../../scripts/random-seed.js'],
    // Each command is a process that loads the backend.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
