// @ts-check
/**
 * Browsers for the tests: Debian packages, installed if missing and running as root.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Failure, note, root, run } from './install.js';

/** Usual programs by platform, as in `packages/testing/src/browser-paths.ts`. */
const paths = JSON.parse(readFileSync(`${root}packages/testing/src/browser-paths.json`, 'utf8'));
const usual = process.platform === 'darwin' ? paths.darwin : paths.linux;
const programs = {
  chromium: process.env['CHROMIUM'] ?? usual.chromium,
  'firefox-esr': process.env['FIREFOX'] ?? usual.firefox,
};

/** WebKitGTK and a display for it. There are no such packages for macOS, where its tests are skipped. */
const webkit =
  process.platform === 'darwin'
    ? {}
    : { 'webkit2gtk-driver': '/usr/bin/WebKitWebDriver', xvfb: '/usr/bin/Xvfb' };

/** @param {{ all?: boolean }} [options] `all`: WebKit, too, which only `npm test -- --all` uses. */
export async function ensureBrowsers({ all = false } = {}) {
  const missing = Object.entries({ ...programs, ...(all ? webkit : {}) })
    .filter(([, program]) => !existsSync(program))
    .map(([name]) => name);
  if (missing.length === 0) return;
  if (process.platform === 'darwin') {
    throw new Failure(
      `The tests need Chromium and Firefox. Install ${missing.join(' and ')}, or set CHROMIUM and FIREFOX to the paths of their programs.`,
    );
  }
  const command = `apt-get update && apt-get install -y ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Failure(
      `The tests need ${missing.join(' and ')}. Install them with: sudo sh -c '${command}'`,
    );
  }
  note(`Installing ${missing.join(' and ')} from Debian…`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], quiet, process.stderr);
  await run('apt-get', ['install', '-y', '-qq', ...missing], quiet, process.stderr);
}
