import type { Page } from '@playwright/test';

/** Debian's Chromium as people have it, without what it does for itself. */
export const chromiumArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Two pages of the address bar's own, begun with every context: fifteen times what a small page costs.
  // In place of the driver's list, which also takes the partition of other sites' storage away.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];

/**
 * Another page of the same person, in a window of its own: Chromium draws the page behind another one
 * of its window once a second, and whoever clicks in it waits for that.
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
