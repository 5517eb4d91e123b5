/** Saving a public project, and opening it. */
import type { BrowserContext } from 'playwright-core';

/** Saves a public project from a template with a new account. Resolves to its URL. */
export async function saveProject(
  context: BrowserContext,
  address: string,
  template: string,
): Promise<string> {
  const page = await context.newPage();
  await page.goto(`${address}/auth/sign-up`);
  await page.getByLabel('Email').fill('bench@example.org');
  await page.getByLabel('Username').fill('bench');
  await page.getByLabel('Password').fill('a password of some length');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Account menu for bench' }).waitFor();
  await page.goto(`${address}/new/${template}`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/@bench\//);
  await page.getByRole('combobox', { name: 'Visibility' }).click();
  await page.getByRole('option', { name: 'Public' }).click();
  await page.getByRole('combobox', { name: 'Visibility' }).getByText('Public').waitFor();
  const saved = page.url();
  await context.close();
  return saved;
}

/** Milliseconds from the navigation to the first frame of the preview with a heading. */
export async function openAt(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  await page.waitForFunction(() => window.typing?.shownMs !== undefined);
  const ms = await page.evaluate(() => window.typing.shownMs ?? Number.NaN);
  await page.close();
  return ms;
}
