import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As the build reads them: what they are for Node does not tell its exports.
  resolve: { mainFields: ['module', 'main'] },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['../../scripts/random-seed.js'],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    server: { deps: { inline: [/vscode-/, '@vscode/l10n'] } },
  },
});
