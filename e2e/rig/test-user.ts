import {
  expect,
  test as base,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type FrameLocator,
  type Locator,
  type Page,
} from '@playwright/test';
import { openWindow } from '@vitrine/testing/chromium';
import { withEmptyLog, startServer, type TestServer } from '@vitrine/testing/server';
import { setSession, signUpAccount, signInToAccount } from './session.ts';

/** A user in a browser context of their own, with the errors of their pages. */
export interface TestUser {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and warnings, uncaught errors, and requests to other hosts. */
  readonly complaints: string[];
  editor(path: string): Locator;
  preview(): FrameLocator;
  saveState(): Locator;
}

interface Shared {
  /** For tests without special server settings. Its registry is unreachable. */
  sharedServer: TestServer;
}

/** Closes all browser contexts after each test, whose pages would slow down others. */
export const test = base.extend<{ leave: undefined; server: TestServer }, Shared>({
  sharedServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright parses it for the fixture's dependencies.
    async ({}, use) => {
      const server = await startServer({ env: { npm_config_registry: 'http://127.0.0.1:9/' } });
      await use(server);
      await server.remove();
    },
    // Doesn't count its start as the first test's time.
    { scope: 'worker', timeout: 60_000 },
  ],
  // The shared server, with the log of only this test.
  server: [async ({ sharedServer }, use) => use(withEmptyLog(sharedServer)), { auto: true }],
  leave: [
    async ({ browser }, use) => {
      const here = new Set(browser.contexts());
      await use(undefined);
      const come = browser.contexts().filter((context) => !here.has(context));
      await Promise.all(come.map((context) => context.close()));
    },
    { auto: true },
  ],
});

/** Opens a browser context for a new user. */
export async function newVisitor(
  browser: Browser,
  server: TestServer,
  options: BrowserContextOptions = {},
): Promise<TestUser> {
  return openFirstPage(await openContext(browser, options), server);
}

function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
}

/** Opens a page in a browser context, and records its complaints. */
export async function openFirstPage(
  context: BrowserContext,
  server: TestServer,
): Promise<TestUser> {
  const complaints: string[] = [];
  recordComplaints(context, server, complaints);
  return createUser(context, await context.newPage(), complaints);
}

/** Opens another tab of the same user. */
export async function openAnotherTab({ page, context, complaints }: TestUser): Promise<TestUser> {
  return createUser(context, await openWindow(page), complaints);
}

function createUser(context: BrowserContext, page: Page, complaints: string[]): TestUser {
  return {
    page,
    context,
    complaints,
    editor: (path) => page.getByRole('textbox', { name: `Editor: ${path}` }),
    preview: () => page.frameLocator('iframe[title="Result"]'),
    saveState: () => page.getByRole('status', { name: 'Save state' }),
  };
}

function recordComplaints(context: BrowserContext, server: TestServer, complaints: string[]): void {
  const port = new URL(server.address).port;
  context.on('console', (message) => {
    const { url, lineNumber } = message.location();
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`console ${message.type()}: ${message.text()} (${url}:${lineNumber})`);
  });
  context.on('weberror', (event) => complaints.push(`uncaught: ${event.error().message}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    const isOurs =
      /^((.*\.)?vitrine(-preview)?\.)?localhost$|^127\.0\.0\.1$/.test(url.hostname) &&
      url.port === port;
    if (!isOurs && !['data:', 'blob:'].includes(url.protocol))
      complaints.push(`request to ${url.origin}`);
  });
}

/** Replaces a file's whole text with real keystrokes. */
export async function retype(person: TestUser, path: string, text: string): Promise<void> {
  await person.editor(path).click();
  await person.page.keyboard.press('ControlOrMeta+A');
  // In one edit, because an empty file in between would run, too.
  await person.page.keyboard.insertText(text);
}

/** The password of a user, unless the test changes it. */
export const getPassword = (name: string) => `${name} likes long words`;
export const getEmail = (name: string) => `${name}@example.org`;
export const getTestAccount = (username: string) => ({
  username,
  email: getEmail(username),
  password: getPassword(username),
});

/** Fills and submits the open sign-up form. */
export async function signUp(person: TestUser, name: string): Promise<void> {
  const { page } = person;
  await page.getByLabel('Email').fill(getEmail(name));
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password').fill(getPassword(name));
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Signs in at `/auth/sign-in` and waits until it has succeeded. */
export async function signIn(
  person: TestUser,
  server: TestServer,
  { name, password = getPassword(name) }: { name: string; password?: string },
): Promise<void> {
  const { page } = person;
  await page.goto(`${server.address}/auth/sign-in`);
  await page.getByLabel('Email').fill(getEmail(name));
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(accountButton(person, name)).toBeVisible();
}

/** Signs out with the account menu, on any page except the workspace. */
export async function signOutFromMenu(person: TestUser, name: string): Promise<void> {
  await accountButton(person, name).click();
  await person.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(
    person.page.getByRole('banner').getByRole('link', { name: 'Sign in' }),
  ).toBeVisible();
}

/** The button of the account menu, which visitors don't have. */
export function accountButton({ page }: TestUser, name: string): Locator {
  return page.getByRole('button', { name: `Account menu for ${name}` });
}

let usernameCount = 0;

/** `ada` → `ada-3`: a username that is unique within this worker, whose tests share a server. */
export const uniqueName = (name: string) => `${name}-${(usernameCount += 1)}`;

/** Opens the outbox with the link in the server's startup output. */
export async function openOutbox({ page }: TestUser, server: TestServer): Promise<void> {
  await page.goto(server.outboxLink);
}

/** Creates an account and opens a browser that is signed in, with an empty page. */
export async function newSignedInUser(
  browser: Browser,
  server: TestServer,
  name: string,
): Promise<TestUser> {
  return openSignedIn(browser, server, await signUpAccount(server, getTestAccount(name)));
}

/** Opens another browser of a user, signed in. */
export async function newSignedInDevice(
  browser: Browser,
  server: TestServer,
  name: string,
): Promise<TestUser> {
  return openSignedIn(browser, server, await signInToAccount(server, getTestAccount(name)));
}

async function openSignedIn(
  browser: Browser,
  server: TestServer,
  session: Parameters<typeof setSession>[2],
): Promise<TestUser> {
  const context = await openContext(browser, {});
  // Before errors are recorded: the page that sets the cookies has no icon, which logs an error.
  await setSession(context, server, session);
  return openFirstPage(context, server);
}

/** Starts a draft from an example or template, and waits for its editor. */
export async function startDraft(
  person: TestUser,
  server: TestServer,
  template: string,
): Promise<void> {
  await person.page.goto(`${server.address}/new/${template}`);
  await person.page.waitForURL(/\/draft\/[a-z0-9]+$/);
  await expect(person.page.getByRole('textbox', { name: /^Editor: / }).first()).toBeVisible();
}

/** Opens a file by its tab and replaces its text. */
export async function rewrite(person: TestUser, path: string, text: string): Promise<void> {
  await person.page.getByRole('tab', { name: path, exact: true }).click();
  await retype(person, path, text);
}

/** Saves a draft as a private project. Returns its URL. */
export async function saveDraft({ page, saveState }: TestUser): Promise<string> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForURL(/\/@[a-z0-9-]+\/[a-z0-9]{16}$/);
  await expect(saveState()).toHaveText('Saved');
  return page.url();
}

export async function makePublic({ page }: TestUser): Promise<void> {
  await page.getByRole('combobox', { name: 'Visibility' }).click();
  await page.getByRole('option', { name: 'Public' }).click();
  await expect(page.getByRole('combobox', { name: 'Visibility' })).toContainText('Public');
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Tab never reached ${target.toString()}`);
}

/** Drops files and folders from the desktop on an element. */
export async function dropFromDesktop(
  page: Page,
  target: Locator,
  files: readonly string[],
): Promise<void> {
  const box = await target.boundingBox();
  if (!box) throw new Error('nothing to drop on');
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const session = await page.context().newCDPSession(page);
  const dispatch = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, ...at, data });
  const state = await page.evaluateHandle(() => {
    const last = { isAccepted: false };
    const read = (event: Event) =>
      // Once the page's own listeners have run.
      setTimeout(() => (last.isAccepted = event.defaultPrevented));
    addEventListener('dragover', read, true);
    return last;
  });
  await dispatch('dragEnter');
  // A page that isn't hydrated doesn't accept the files yet.
  await expect
    .poll(async () => {
      await dispatch('dragOver');
      return state.evaluate(({ isAccepted }) => isAccepted);
    })
    .toBe(true);
  await dispatch('drop');
  await session.detach();
}

/** Removes expected complaints; fails if there were none. */
export async function expectComplaints(person: TestUser, ...expected: RegExp[]): Promise<void> {
  for (const pattern of expected) {
    await expect.poll(() => person.complaints.some((line) => pattern.test(line))).toBe(true);
  }
  const others = person.complaints.filter((line) => !expected.some((one) => one.test(line)));
  person.complaints.splice(0, Infinity, ...others);
}

/** Expects no complaints of the pages and no errors or warnings in the server's log. */
export function expectQuiet(server: TestServer, ...people: TestUser[]): void {
  for (const person of people) expect(person.complaints).toEqual([]);
  expect(server.log.filter((line) => / (error|warn) /.test(line))).toEqual([]);
}
