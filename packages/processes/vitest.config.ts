import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['../../scripts/random-seed.js'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
  },
});
