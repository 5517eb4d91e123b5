import { chromium, type Browser, type Page } from '@playwright/test';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limits } from '@vitrine/project';

const { executablePath, args } = getChromiumOptions('--headless=new', '--remote-debugging-port=0');

let profile: string;
let server: Server;
let address: string;
const running = new Set<ChildProcess>();

beforeEach(async () => {
  profile = await mkdtemp(join(tmpdir(), 'vitrine-profile-'));
  server = await servePage();
  const port = server.address();
  if (port === null || typeof port === 'string') throw new Error('the page has no port');
  address = `http://127.0.0.1:${port.port}/`;
});

afterEach(async () => {
  for (const browser of running) await kill(browser);
  server.close();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
});

async function servePage(): Promise<Server> {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'killed-browser.page.ts')],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? '';
  const started = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><script type="module" src="page.js"></script>',
    );
  });
  started.listen(0, '127.0.0.1');
  await once(started, 'listening');
  return started;
}

async function startBrowser(): Promise<{ process: ChildProcess; browser: Browser; page: Page }> {
  const process = spawn(executablePath, [...args, `--user-data-dir=${profile}`, 'about:blank'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(process);
  const browser = await chromium.connectOverCDP(await debuggerAddress(process));
  const page = await browser.contexts()[0]?.newPage();
  if (!page) throw new Error('the browser has no context');
  await page.goto(address);
  await page.waitForFunction(() => 'typing' in globalThis);
  return { process, browser, page };
}

async function debuggerAddress({ stderr }: ChildProcess): Promise<string> {
  if (!stderr) throw new Error('the browser has no stderr');
  for await (const line of createInterface(stderr)) {
    const found = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (found) return found;
  }
  throw new Error('the browser did not start');
}

/** Kills the browser and all its processes immediately. */
async function kill(browser: ChildProcess): Promise<void> {
  running.delete(browser);
  if (browser.pid === undefined || browser.exitCode !== null || browser.signalCode) return;
  const exited = once(browser, 'exit');
  globalThis.process.kill(-browser.pid, 'SIGKILL');
  await exited;
}

test('a killed browser loses at most the last 250 ms of typing', { timeout: 60_000 }, async () => {
  const first = await startBrowser();
  const times: number[] = [];
  const enough = new Promise<void>((resolve) => {
    first.page.on('console', (message) => {
      const [, count, time] = /^typed (\d+) (\d+)$/.exec(message.text()) ?? [];
      if (count !== undefined) times[Number(count)] = Number(time);
      if (count === '63') resolve();
    });
  });
  const id = await first.page.evaluate(() => typing.start());
  await enough;
  const killedAt = Date.now();
  await kill(first.process);

  const second = await startBrowser();
  const text = await second.page.evaluate((draft) => typing.read(draft), id);
  const kept = [...text.matchAll(/<(\d+)>/g)].map(([, count]) => Number(count));
  expect(kept).toEqual([...kept.keys()]);
  const lost = times.findIndex((_time, count) => count >= kept.length);
  const lostMs = lost < 0 ? 0 : killedAt - (times[lost] ?? 0);
  expect(lostMs).toBeLessThanOrEqual(limits.localSaveDelayMs);
  await second.browser.close();
});
