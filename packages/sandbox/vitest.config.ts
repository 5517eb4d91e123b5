import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Each browser test has a browser of its own; two at once would measure each other.
    fileParallelism: false,
    // CI’s machine is shared, and these tests bound times with a browser in between.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
