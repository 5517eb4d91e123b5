import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startRig, type Rig } from './app-server.ts';
import { Workspace } from './workspace.ts';

/** Debian's Chromium with its default privacy settings. Contexts are incognito. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** What the tests of a file have: the browser and the rig for all, the rest anew for each. */
interface Bench {
  readonly browser: Browser;
  readonly rig: Rig;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly workspace: Workspace;
}

/** Gives every test of the file that calls it a page in Chromium, and a rig with nothing broken. */
export function setUpChromium(): Bench {
  let browser: Browser;
  let rig: Rig;
  let context: BrowserContext;
  let page: Page;
  let workspace: Workspace;

  beforeAll(async () => {
    [browser, rig] = await Promise.all([startChromium(), startRig()]);
  });
  afterAll(async () => {
    await browser.close();
    await rig.close();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    workspace = new Workspace(page, rig);
    rig.requests.length = 0;
  });
  afterEach(async () => {
    rig.tamper = undefined;
    await context.close();
  });

  return {
    get browser() {
      return browser;
    },
    get rig() {
      return rig;
    },
    get context() {
      return context;
    },
    get page() {
      return page;
    },
    get workspace() {
      return workspace;
    },
  };
}
