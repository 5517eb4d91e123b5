import { defineConfig } from '@playwright/test';
import { getChromiumOptions } from '@vitrine/testing/chromium';

const launchOptions = getChromiumOptions(
  // Requests to any other host fail, as without a network.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
);

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  // Variants of shorter tests run only with `npm run endure -- long`, those that need npm's registry
  // with `npm run endure -- vite`.
  ...(process.env['LONG'] ? {} : { grepInvert: /@long|@registry/ }),
  // CI's machine is shared. Tests that pass only on retry are reported as flaky, and investigated.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['E2E_REPORT'] ?? '../.cache/test/e2e.json' }],
  ],
  use: {
    launchOptions,
    viewport: { width: 1440, height: 900 },
    // Without snapshots, which wait for every frame, even those that hang on purpose.
    // Without screenshots, which would render and compress every page again.
    trace: { mode: 'on-first-retry', snapshots: false, screenshots: false },
  },
});
