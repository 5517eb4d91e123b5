// @ts-check
/**
 * Browsers for the tests: Debian packages, installed if missing and running as root. Chromium and
 * Firefox are required. Without WebKit and the virtual display that it needs, its tests are
 * skipped.
 */
import { existsSync } from 'node:fs';
import { Failure, note, run } from './install.js';

const required = { chromium: '/usr/bin/chromium', 'firefox-esr': '/usr/bin/firefox-esr' };
const optional = { 'webkit2gtk-driver': '/usr/bin/WebKitWebDriver', xvfb: '/usr/bin/Xvfb' };

export async function ensureBrowsers() {
  const needed = findMissing(required);
  const missing = [...needed, ...findMissing(optional)];
  if (missing.length === 0) return;
  const command = `sudo sh -c 'apt-get update && apt-get install -y ${missing.join(' ')}'`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    if (needed.length === 0) return note(`Skipping tests in WebKit. For these: ${command}`);
    throw new Failure(`The tests need ${needed.join(' and ')}. Install all browsers: ${command}`);
  }
  note(`Installing ${missing.join(' and ')} from Debian…`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], quiet, process.stderr);
  await run('apt-get', ['install', '-y', '-qq', ...missing], quiet, process.stderr);
}

/** @param {Record<string, string>} programs Paths by package. @returns {string[]} */
function findMissing(programs) {
  return Object.entries(programs)
    .filter(([, program]) => !existsSync(program))
    .map(([name]) => name);
}
