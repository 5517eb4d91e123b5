import type { Page } from '@playwright/test';
import { chromiumPath } from './browser-paths.ts';

/** Arguments for Chromium without background work. */
const chromiumArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The address bar's own two pages start with every context and cost fifteen times as much as a small page.
  // Replaces the driver's list, which also disables storage partitioning.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];

/** Launch options of every test and benchmark in Chromium, with additional arguments. */
export function getChromiumOptions(...args: readonly string[]): {
  executablePath: string;
  args: string[];
} {
  return { executablePath: chromiumPath, args: [...chromiumArgs, ...args] };
}

/**
 * Opens another page of the same context in a window of its own. Chromium renders a page behind another one of its
 * window once per second, which delays clicks in it.
 */
export async function openWindow(page: Page): Promise<Page> {
  const context = page.context();
  const session = await context.newCDPSession(page);
  const { browserContextId } = (await session.send('Target.getTargetInfo')).targetInfo;
  const opened = context.waitForEvent('page');
  await session.send('Target.createTarget', {
    url: 'about:blank',
    newWindow: true,
    ...(browserContextId !== undefined && { browserContextId }),
  });
  await session.detach();
  return opened;
}
