import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startRig, type Rig } from './app-server.ts';
import { chromiumArgs } from './chromium-args.ts';
import { Workspace } from './workspace.ts';

/**
 * Debian's Chromium with its default privacy settings; the driver's own, less these. Contexts are
 * incognito.
 */
export function startChromium(ignoreDefaultArgs: string[] = []): Promise<Browser> {
  return chromium.launch({
    ignoreDefaultArgs,
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [...chromiumArgs],
  });
}

/** What the tests of a file have. */
interface Bench {
  readonly browser: Browser;
  readonly rig: Rig;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly workspace: Workspace;
}

/**
 * Gives every test of the file that calls it a page in Chromium, and a rig with nothing broken. With
 * `sharesPage` it is one page for all, as for somebody who opens a project after the other, and each
 * test has a key, and so an origin, of its own; without, a test may leave anything in the browser.
 */
export function setUpChromium({ sharesPage = false } = {}): Bench {
  let browser: Browser;
  let rig: Rig;
  let context: BrowserContext | undefined;
  let page: Page;
  let workspace: Workspace;
  let count = 0;

  const openPage = async () => {
    context = await browser.newContext();
    page = await context.newPage();
    workspace = new Workspace(page, rig);
  };
  const closePage = async () => {
    await context?.close();
    context = undefined;
  };
  beforeAll(async () => {
    [browser, rig] = await Promise.all([startChromium(), startRig()]);
  });
  afterAll(async () => {
    await browser.close();
    await rig.close();
  });
  beforeEach(async () => {
    if (!context) await openPage();
    rig.requests.length = 0;
    workspace.keepsPage = sharesPage;
    if (sharesPage) workspace.key = `draft--t${++count}`;
  });
  afterEach(async ({ task }) => {
    rig.tamper = undefined;
    // Nobody knows what a failure has left behind.
    if (!sharesPage || task.result?.state === 'fail') await closePage();
    else if (await workspace.isOpen()) await workspace.end();
  });

  return {
    get browser() {
      return browser;
    },
    get rig() {
      return rig;
    },
    get context() {
      if (!context) throw new Error('there is no page between two tests');
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
