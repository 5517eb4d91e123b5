import { defineConfig } from '@playwright/test';
import { chromiumArgs } from '@vitrine/sandbox/test/chromium';

const args = [
  ...chromiumArgs,
  // There is no other host: what asks one fails here, as it would without a network.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
];

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../test-results',
  workers: 2,
  // Variants of what shorter tests show: `npm run endure -- long`.
  ...(process.env['LONG'] ? {} : { grepInvert: /@long/ }),
  // CI’s machine is shared: what passes only the second time is reported as flaky, and looked at.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: process.env['E2E_REPORT'] ?? '../.cache/test/e2e.json' }],
  ],
  use: {
    launchOptions: { executablePath: '/usr/bin/chromium', args },
    viewport: { width: 1440, height: 900 },
    // Without snapshots: they ask every frame, and one that hangs, as some here must, never answers.
    // Without a film of each test: every page would be drawn and packed once more.
    trace: { mode: 'on-first-retry', snapshots: false, screenshots: false },
  },
});
