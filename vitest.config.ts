import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'packages/sandbox/vitest.timed.config.ts', 'apps/*', 'scripts'],
    maxWorkers: 2,
  },
});
