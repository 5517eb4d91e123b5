// @ts-check
/**
 * Chromium and Firefox for the tests: Debian packages, installed if missing and running as root.
 */
import { existsSync } from 'node:fs';
import { Failure, note, run } from './install.js';

const programs = { chromium: '/usr/bin/chromium', 'firefox-esr': '/usr/bin/firefox-esr' };

export async function ensureBrowsers() {
  const missing = Object.entries(programs)
    .filter(([, program]) => !existsSync(program))
    .map(([name]) => name);
  if (missing.length === 0) return;
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
