import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startRig, type Rig } from './app-server.ts';
import { getChromiumOptions } from '@vitrine/testing/chromium';
import { TestWorkspace } from './workspace.ts';

/**
 * Chromium with its default privacy settings, without the driver's own arguments that change them. Contexts are
 * incognito.
 */
export function startChromium(ignoreDefaultArgs: string[] = []): Promise<Browser> {
  return chromium.launch({ ...getChromiumOptions(), ignoreDefaultArgs });
}

/** Fixtures of a test file. */
interface Bench {
  readonly browser: Browser;
  readonly rig: Rig;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly workspace: TestWorkspace;
}

/**
 * Provides every test of the calling file with a page in Chromium and an unmodified rig. With `sharesPage`, all tests share
 * one page, and each has a key, and so an origin, of its own. Without, a test may leave the browser in any state.
 */
export function setUpChromium({ sharesPage = false } = {}): Bench {
  let browser: Browser;
  let rig: Rig;
  let context: BrowserContext | undefined;
  let page: Page;
  let workspace: TestWorkspace;
  let count = 0;

  const openPage = async () => {
    context = await browser.newContext();
    page = await context.newPage();
    workspace = new TestWorkspace(page, rig);
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
    // A failed test may leave the page in any state.
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
