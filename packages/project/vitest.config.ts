import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['../../scripts/random-seed.js'],
    maxWorkers: 2,
  },
});
