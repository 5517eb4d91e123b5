/**
 * Firefox with default settings, over WebDriver BiDi. A driver's launch profile disables site isolation, which
 * would make every preview share the app's process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import { firefoxPath } from './browser-paths.ts';

export interface Firefox {
  readonly browser: Browser;
  close(): Promise<void>;
}

/** Starts Firefox with a new profile. */
export async function startFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'vitrine-firefox-'));
  await writeFile(join(profile, 'user.js'), 'user_pref("remote.prefs.recommended", false);\n');
  const child = spawn(
    firefoxPath,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await findBidiAddress(child);
  const browser = await puppeteer.connect({
    browserWSEndpoint: `${address}/session`,
    protocol: 'webDriverBiDi',
    defaultViewport: { width: 1440, height: 900 },
  });
  return {
    browser,
    async close() {
      const exited = once(child, 'exit');
      await browser.disconnect();
      child.kill('SIGKILL');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function findBidiAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(printed)?.[1];
      if (address) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Firefox ended:\n${printed}`)));
  });
}
