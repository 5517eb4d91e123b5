/**
 * Where previews can run in each browser: docs/protocol.md, "Preview hosts". Each kind of frame is tested without our
 * scripts, with the headers of a preview, so that results depend on the browser and not on our code.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { documentHeaders } from '../src/headers.ts';
import { startRig, type Rig } from './rig/app-server.ts';
import { startChromium } from './rig/chromium.ts';
import { startFirefox } from '@vitrine/testing/firefox';
import { hasWebKit, startWebKit } from '@vitrine/testing/webkit';
import { isWhole } from './rig/transports.ts';
import { pollUntil, type DrivenPage } from './rig/workspace.ts';

type Page = Pick<DrivenPage, 'goto' | 'evaluate'> & { close(): Promise<void> };

type BrowserName = 'Chromium' | 'Firefox' | 'WebKit';

interface Driver {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

const drivers: Record<BrowserName, () => Promise<Driver>> = {
  async Chromium() {
    const browser = await startChromium();
    const context = await browser.newContext();
    return { newPage: () => context.newPage(), close: () => browser.close() };
  },
  async Firefox() {
    const { browser, close } = await startFirefox();
    return { newPage: () => browser.newPage(), close };
  },
  async WebKit() {
    const { page, close } = await startWebKit();
    return {
      newPage: async () => ({
        goto: (address) => page.goto(address),
        evaluate: (script) => page.evaluate(script),
        close: async () => void (await page.goto('about:blank')),
      }),
      close,
    };
  },
};

const loopMs = 1_000;

/** Reports what it can access; loops when it receives a message. */
const probe = `<!doctype html><script>
  const tryTo = async (act) => { try { return await act() } catch (error) { return error.name } };
  onmessage = () => {
    for (const end = Date.now() + ${loopMs}; Date.now() < end; );
    parent.postMessage('looped', '*');
  };
  (async () => parent.postMessage(JSON.stringify({
    worker: await tryTo(() => navigator.serviceWorker.register('/__vitrine/sw.js').then(() => true)),
    storage: await tryTo(() => localStorage.length === 0),
    cookie: await tryTo(() => document.cookie),
  }), '*'))();
</script>`;

interface Place {
  readonly name: string;
  readonly app?: string;
  readonly frame: string;
  readonly isOpaque?: true;
  readonly worker: Readonly<Record<BrowserName, boolean>>;
  /** The app's page keeps running while the frame loops. */
  readonly ownProcess: Readonly<Record<BrowserName, boolean>>;
}

const [yes, no] = [
  { Chromium: true, Firefox: true, WebKit: true },
  { Chromium: false, Firefox: false, WebKit: false },
];
const places: readonly Place[] = [
  {
    name: 'a subdomain of the app’s host',
    frame: 'draft--one.vitrine.localhost',
    worker: yes,
    ownProcess: { Chromium: true, Firefox: false, WebKit: false },
  },
  {
    name: 'a subdomain of another site',
    frame: 'draft--one.vitrine-preview.localhost',
    worker: yes,
    ownProcess: { Chromium: true, Firefox: true, WebKit: false },
  },
  {
    name: 'an opaque document of the same site',
    frame: 'draft--one.vitrine.localhost',
    isOpaque: true,
    worker: no,
    ownProcess: { Chromium: true, Firefox: false, WebKit: false },
  },
  {
    name: 'an opaque srcdoc',
    frame: 'srcdoc',
    isOpaque: true,
    worker: no,
    ownProcess: { Chromium: true, Firefox: false, WebKit: false },
  },
  {
    name: 'an opaque document of another site',
    frame: 'vitrine-preview.localhost',
    isOpaque: true,
    worker: no,
    ownProcess: { Chromium: true, Firefox: true, WebKit: false },
  },
  {
    name: 'an opaque document of 127.0.0.1 beside localhost',
    app: 'localhost',
    frame: '127.0.0.1',
    isOpaque: true,
    worker: no,
    ownProcess: { Chromium: true, Firefox: true, WebKit: false },
  },
];

// test/firefox.test.ts tests the transports in Firefox themselves.
const shownIn: readonly BrowserName[] = isWhole
  ? ['Chromium', 'Firefox', ...(hasWebKit ? (['WebKit'] as const) : [])]
  : ['Chromium'];

describe.each(shownIn)('in %s', (name) => {
  let driver: Driver;
  let rig: Rig;
  let page: Page;

  beforeAll(async () => {
    [driver, rig] = await Promise.all([drivers[name](), startRig()]);
    const headers = documentHeaders([rig.appOrigin, `http://localhost:${rig.port}`]);
    rig.tamper = ({ pathname }, response) =>
      pathname === '/probe' ? new Response(probe, { headers }) : response;
  });
  afterAll(async () => {
    await driver.close();
    await rig.close();
  });
  afterEach(() => page.close());

  async function openApp(host = 'vitrine.localhost'): Promise<void> {
    page = await driver.newPage();
    await page.goto(`http://${host}:${rig.port}/`);
    await until('!!window.rig', (ready) => ready === true);
    await page.evaluate(
      `{ rig.said = []; onmessage = ({ data }) => typeof data === 'string' && rig.said.push(data) }`,
    );
  }

  const until = (script: string, holds: (value: unknown) => boolean) =>
    pollUntil(() => page.evaluate(script), holds, script, 10_000);

  it.each(places)('$name behaves as documented', async (place) => {
    await openApp(place.app);
    const source =
      place.frame === 'srcdoc'
        ? `srcdoc = ${JSON.stringify(probe).replaceAll('</', '<\\/')}`
        : `src = 'http://${place.frame}:${rig.port}/probe'`;
    await page.evaluate(`{
      const frame = document.createElement('iframe');
      if (${place.isOpaque ?? false}) frame.setAttribute('sandbox', 'allow-scripts');
      frame.${source};
      document.querySelector('#result').append(frame);
    }`);
    const said = await until('rig.said[0]', (first) => typeof first === 'string');
    const { worker, storage, cookie } = JSON.parse(String(said));
    expect(worker === true).toBe(place.worker[name]);
    expect(cookie).not.toContain('session');
    if (place.isOpaque) expect(storage).toBe('SecurityError');

    await page.evaluate(
      `{ rig.measureGaps(); document.querySelector('iframe').contentWindow.postMessage('', '*') }`,
    );
    await until('rig.said[1]', (second) => second === 'looped');
    const gapMs = Number(await page.evaluate('rig.seen.longestGapMs'));
    if (place.ownProcess[name]) expect(gapMs).toBeLessThan(loopMs * 0.6);
    else expect(gapMs).toBeGreaterThan(loopMs * 0.8);
  });

  it('SB-01 another port of the app’s host can read the session', async () => {
    const other = createServer((_, response) => response.end('<!doctype html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    await openApp();
    // WebKit accepts no `Secure` cookie over HTTP, not even on a local host, so the app sets another one there.
    if (name === 'WebKit') await page.evaluate(`document.cookie = 'session=secret'`);
    await page.goto(`http://vitrine.localhost:${(other.address() as AddressInfo).port}/`);
    expect(await page.evaluate('document.cookie')).toContain('session=secret');
    other.close();
    other.closeAllConnections();
  });
});
