/**
 * Firefox ESR as people have it. A driver's own launch profile switches site isolation off, and
 * then every layout looks as if previews shared the editor's process.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';

export interface Firefox {
  browser: Browser;
  close(): Promise<void>;
}

export async function startFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  await writeFile(join(profile, 'user.js'), 'user_pref("remote.prefs.recommended", false);\n');
  const child = spawn(
    '/usr/bin/firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await findBidiAddress(child);
  const browser = await puppeteer.connect({
    browserWSEndpoint: `${address}/session`,
    protocol: 'webDriverBiDi',
  });
  return {
    browser,
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await browser.disconnect();
      child.kill('SIGKILL');
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function findBidiAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(printed);
      if (found?.[1]) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`Firefox ended:\n${printed}`)));
  });
}
