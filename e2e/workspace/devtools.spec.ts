import { expect } from '@playwright/test';
import { expectQuiet, newVisitor, rewrite, startDraft, test } from '../rig/test-user.ts';
import { startServer, type TestServer } from '@vitrine/testing/server';

let server: TestServer;

test.beforeAll(async () => {
  server = await startServer();
});
test.afterAll(async () => {
  await server.remove();
});

test(
  'DevTools inspects the page, follows edits, and stays open behind other tabs',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    const page = (heading: string, more = '') =>
      `<!doctype html><html lang="en"><title>Page</title><h1>${heading}</h1>${more}</html>`;
    await rewrite(ann, 'index.html', page('Larch'));
    await expect(ann.preview().getByRole('heading', { name: 'Larch' })).toBeVisible();
    const frames = ann.page.locator('iframe[title="DevTools"]');
    await expect(frames).toHaveCount(0);

    const tab = ann.page.getByRole('tab', { name: 'DevTools' });
    await tab.click();
    await expect(tab).toBeFocused();
    // It is shown once it has painted, and doesn't take the focus.
    const panel = ann.page.getByRole('tabpanel').filter({ has: frames });
    await expect(panel).toHaveText('', { timeout: 30_000 });
    await expect(frames).not.toBeFocused();
    const tree = frames.contentFrame().getByRole('tree', { name: 'Page DOM' });
    await expect(tree).toContainText('Larch', { timeout: 30_000 });
    const host = new URL((await frames.getAttribute('src')) ?? '').hostname;
    expect(host).toMatch(/^devtools--\w+\./);

    await rewrite(ann, 'index.html', page('Spruce'));
    await expect(tree).toContainText('Spruce');
    // An edited script creates a new document.
    await rewrite(ann, 'index.html', page('Fir', '<script>1</script>'));
    await expect(tree).toContainText('Fir');

    await ann.page.getByRole('tab', { name: 'Problems' }).click();
    await expect(tree).toBeHidden();
    await frames.evaluate((frame) => frame.setAttribute('data-same', ''));
    await tab.press('Enter');
    await expect(tree).toContainText('Fir');
    await expect(frames).toHaveAttribute('data-same', '');
    await ann.page.getByRole('button', { name: 'Close panel' }).click();
    await expect(frames).toHaveCount(0);
    await expect(ann.page.getByRole('button', { name: 'Open panel' })).toBeFocused();
    expectQuiet(server, ann);
  },
);
