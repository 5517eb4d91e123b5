import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { getChromiumOptions, openWindow } from '@vitrine/testing/chromium';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { startVitrine, type Vitrine } from '../vitrine.ts';

// The five events of the session (product.md section 4), in the tabs of a real browser.

let vitrine: Vitrine;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let otherPage: Page;
let count = 0;

beforeAll(async () => {
  vitrine = await startVitrine();
  browser = await chromium.launch(getChromiumOptions());
}, 60_000);
afterAll(async () => {
  await browser.close();
  await vitrine.close();
});
beforeEach(async () => {
  context = await browser.newContext({ baseURL: vitrine.origin });
  page = await context.newPage();
  otherPage = await openWindow(page);
});
afterEach(() => context.close());

test('other tabs follow a sign-in and sign-out, without leaving their page', async () => {
  const ann = await signUp(page);
  await otherPage.goto('/settings/profile');
  await page.goto('/work');

  await otherPage.getByRole('button', { name: `Account menu for ${ann.name}` }).click();
  await otherPage.getByRole('menuitem', { name: 'Sign out' }).click();
  await otherPage.waitForURL('/');
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('You’re signed out.').count()).toBe(0);
  expect(await page.getByRole('region', { name: 'Projects' }).count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/work');

  await otherPage.goto('/auth/sign-in');
  await signIn(otherPage, ann, ann.password);
  await page.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
}, 60_000);

test('shows that the session has expired, until the next sign-in', async () => {
  const ann = await signUp(page);
  await page.clock.install();
  await page.goto('/work');
  await endSessions(ann);
  await page.clock.fastForward('01:00:00');
  await page.getByText('You’re signed out.').first().waitFor();
  // The toast doesn't time out while hovered.
  await page.getByText('You’re signed out.').first().hover();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('region', { name: 'Projects' }).count()).toBe(0);

  await otherPage.goto('/auth/sign-in');
  await signIn(otherPage, ann, ann.password);
  await page.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
  await page.getByText('You’re signed out.').first().waitFor({ state: 'detached' });
}, 60_000);

test('PT-02.14: a tab notices on its next navigation that its session was ended elsewhere', async () => {
  const ann = await signUp(page);
  await page.getByRole('region', { name: 'Projects' }).waitFor();
  await endSessions(ann);
  await page.getByRole('link', { name: 'Vitrine, home' }).click();
  await page.getByText('You’re signed out.').first().waitFor();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  const names = (await context.cookies()).map(({ name }) => name);
  expect(names.filter((name) => name.includes('session'))).toEqual([]);

  await page.goto('/auth/sign-in');
  await signIn(page, ann, ann.password);
  await page.getByRole('button', { name: `Account menu for ${ann.name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('You’re signed out.').count()).toBe(0);
}, 60_000);

test('sign-up leaves no code verifier, so that another browser’s code has no effect', async () => {
  const ann = await signUp(page);
  const names = (await context.cookies()).map(({ name }) => name);
  expect(names.some((name) => name.includes('session'))).toBe(true);
  expect(names.filter((name) => name.includes('verifier'))).toEqual([]);
  await page.goto('/auth/callback?code=5f2c9a52-6a5e-4c0f-9b5e-7f5f5f0f3f11&next=/work');
  await page.getByRole('alert').getByText('has expired or was already used').waitFor();
  await page.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
}, 60_000);

test('a new display name shows in every tab immediately', async () => {
  const { name } = await signUp(page);
  await otherPage.goto('/work');
  await otherPage.getByRole('button', { name: `Account menu for ${name}` }).waitFor();
  await page.goto('/settings/profile');
  await page.getByLabel('Display name').fill('Ann Example');
  await page.getByRole('button', { name: 'Save profile' }).click();
  await otherPage.getByRole('button', { name: 'Account menu for Ann Example' }).waitFor();
}, 60_000);

interface Member {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Signs up through the page. */
async function signUp(page: Page): Promise<Member> {
  const name = `ann-${++count}`;
  const member = { name, email: `${name}@example.org`, password: `${name} likes long words` };
  await page.goto('/auth/sign-up?next=/work');
  await page.getByLabel('Email').fill(member.email);
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password').fill(member.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL('/work');
  return member;
}

/** Ends all sessions of the user except its own, in another browser. */
async function endSessions(member: Member): Promise<void> {
  const elsewhere = await browser.newContext({ baseURL: vitrine.origin });
  const page = await elsewhere.newPage();
  await page.goto('/auth/sign-in?next=/settings/sessions');
  await signIn(page, member, member.password);
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText('Signed out everywhere else').waitFor();
  await elsewhere.close();
}

async function signIn(page: Page, member: Member, password: string): Promise<void> {
  await page.getByLabel('Email').fill(member.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
