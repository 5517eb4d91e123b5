import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { getChromiumOptions, openWindow } from '@vitrine/testing/chromium';
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { startVitrine, type Vitrine } from '../vitrine.ts';

// The five events of the session (product.md section 4), in the tabs of a real browser.

let vitrine: Vitrine;
let browser: Browser;
let person: BrowserContext;
let here: Page;
let there: Page;
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
  person = await browser.newContext({ baseURL: vitrine.origin });
  here = await person.newPage();
  there = await openWindow(here);
});
afterEach(() => person.close());

test('other tabs follow a sign-in and sign-out, without leaving their page', async () => {
  const ann = await signUp(here);
  await there.goto('/settings/profile');
  await here.goto('/work');

  await there.getByRole('button', { name: `Account menu for ${ann.name}` }).click();
  await there.getByRole('menuitem', { name: 'Sign out' }).click();
  await there.waitForURL('/');
  await here.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await here.getByText('You’re signed out.').count()).toBe(0);
  expect(await here.getByRole('region', { name: 'Projects' }).count()).toBe(0);
  expect(new URL(here.url()).pathname).toBe('/work');

  await there.goto('/auth/sign-in');
  await signIn(there, ann, ann.password);
  await here.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
}, 60_000);

test('shows that the session has expired, until the next sign-in', async () => {
  const ann = await signUp(here);
  await here.clock.install();
  await here.goto('/work');
  await endSessions(ann);
  await here.clock.fastForward('01:00:00');
  await here.getByText('You’re signed out.').first().waitFor();
  // The toast doesn't time out while hovered.
  await here.getByText('You’re signed out.').first().hover();
  await here.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await here.getByRole('region', { name: 'Projects' }).count()).toBe(0);

  await there.goto('/auth/sign-in');
  await signIn(there, ann, ann.password);
  await here.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
  await here.getByText('You’re signed out.').first().waitFor({ state: 'detached' });
}, 60_000);

test('PT-02.14: a tab notices on its next navigation that its session was ended elsewhere', async () => {
  const ann = await signUp(here);
  await here.getByRole('region', { name: 'Projects' }).waitFor();
  await endSessions(ann);
  await here.getByRole('link', { name: 'Vitrine, home' }).click();
  await here.getByText('You’re signed out.').first().waitFor();
  await here.getByRole('link', { name: 'Sign in' }).waitFor();
  const names = (await person.cookies()).map(({ name }) => name);
  expect(names.filter((name) => name.includes('session'))).toEqual([]);

  await here.goto('/auth/sign-in');
  await signIn(here, ann, ann.password);
  await here.getByRole('button', { name: `Account menu for ${ann.name}` }).click();
  await here.getByRole('menuitem', { name: 'Sign out' }).click();
  await here.getByRole('link', { name: 'Sign in' }).waitFor();
  expect(await here.getByText('You’re signed out.').count()).toBe(0);
}, 60_000);

test('sign-up leaves no code verifier, so that another browser’s code has no effect', async () => {
  const ann = await signUp(here);
  const names = (await person.cookies()).map(({ name }) => name);
  expect(names.some((name) => name.includes('session'))).toBe(true);
  expect(names.filter((name) => name.includes('verifier'))).toEqual([]);
  await here.goto('/auth/callback?code=5f2c9a52-6a5e-4c0f-9b5e-7f5f5f0f3f11&next=/work');
  await here.getByRole('alert').getByText('has expired or was already used').waitFor();
  await here.getByRole('button', { name: `Account menu for ${ann.name}` }).waitFor();
}, 60_000);

test('a new display name shows in every tab immediately', async () => {
  const { name } = await signUp(here);
  await there.goto('/work');
  await there.getByRole('button', { name: `Account menu for ${name}` }).waitFor();
  await here.goto('/settings/profile');
  await here.getByLabel('Display name').fill('Ann Example');
  await here.getByRole('button', { name: 'Save profile' }).click();
  await there.getByRole('button', { name: 'Account menu for Ann Example' }).waitFor();
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
