import { expect, type Page } from '@playwright/test';
import { expectQuiet, newVisitor, retype, signUp, test } from './rig/test-user.ts';

test(
  'a new user types, sees it run, signs up, saves and shares; another views and forks it',
  { tag: '@journey' },
  async ({ browser, server }) => {
    const ann = await newVisitor(browser, server);
    await ann.page.goto(server.address);
    await expect(ann.preview().locator('body')).not.toBeEmpty();

    await ann.page.getByRole('link', { name: 'New project' }).click();
    await ann.page.getByRole('button', { name: 'HTML, CSS, JS' }).click();
    await ann.page.waitForURL(/\/draft\/[a-z0-9]+$/);
    await retype(
      ann,
      'index.html',
      '<!doctype html><title>Mine</title><link rel="stylesheet" href="style.css"><h1>Made by Ann</h1>',
    );
    await expect(ann.preview().getByRole('heading', { name: 'Made by Ann' })).toBeVisible();
    await expect(ann.saveState()).toHaveText('Draft (this device only)');

    await ann.page.getByRole('tab', { name: 'style.css' }).click();
    await retype(ann, 'style.css', 'h1 { color: rgb(1, 2, 3) }');
    await expect(ann.preview().getByRole('heading')).toHaveCSS('color', 'rgb(1, 2, 3)');

    await ann.page.getByRole('button', { name: 'Save', exact: true }).click();
    await ann.page.waitForURL(/\/auth\/sign-(up|in)/);
    if (ann.page.url().includes('sign-in'))
      await ann.page.getByRole('link', { name: 'Create an account' }).click();
    await expect(ann.page.getByRole('main')).toContainText('We’ll save your draft');
    await signUp(ann, 'annie');
    await ann.page.waitForURL(/\/@annie\/[a-z0-9]{16}$/);
    await expect(ann.saveState()).toHaveText('Saved');

    await retype(
      ann,
      'index.html',
      '<!doctype html><title>Mine</title><link rel="stylesheet" href="style.css"><h1>Saved by Ann</h1>',
    );
    await expect(ann.saveState()).toHaveText('Saved');
    await ann.page.getByRole('button', { name: 'Share' }).click();
    const share = ann.page.getByRole('dialog', { name: 'Share' });
    await share.getByRole('combobox', { name: 'Visibility' }).click();
    await ann.page.getByRole('option', { name: 'Public' }).click();
    await expect(share.getByRole('combobox', { name: 'Visibility' })).toContainText('Public');
    const link = await share.getByRole('textbox', { name: 'Link' }).inputValue();
    expect(link).toContain('/@annie/');

    const bob = await newVisitor(browser, server);
    await bob.page.goto(link);
    await expect(bob.preview().getByRole('heading', { name: 'Saved by Ann' })).toBeVisible();
    // Preloaded by the page; stylesheets would request fonts only after the first layout.
    await expect.poll(() => findFontAskers(bob.page)).toEqual(['link', 'link']);
    await bob.page.getByRole('button', { name: 'Fork' }).click();
    await bob.page.waitForURL(/\/draft\//);
    await retype(bob, 'index.html', '<!doctype html><title>Mine</title><h1>Changed by Bob</h1>');
    await expect(bob.preview().getByRole('heading', { name: 'Changed by Bob' })).toBeVisible();
    await bob.page.getByRole('button', { name: 'Save', exact: true }).click();
    await bob.page.waitForURL(/\/auth\/sign-(up|in)/);
    if (bob.page.url().includes('sign-in'))
      await bob.page.getByRole('link', { name: 'Create an account' }).click();
    await signUp(bob, 'bob');
    await bob.page.waitForURL(/\/@bob\/[a-z0-9]{16}$/);
    await expect(bob.saveState()).toHaveText('Saved');

    await ann.page.reload();
    await expect(ann.preview().getByRole('heading', { name: 'Saved by Ann' })).toBeVisible();
    expectQuiet(server, ann, bob);
  },
);

/** The initiator of each font request. */
function findFontAskers(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.woff2'))
      .map((entry) => (entry instanceof PerformanceResourceTiming ? entry.initiatorType : '')),
  );
}
