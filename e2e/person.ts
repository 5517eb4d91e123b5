import {
  expect,
  type Browser,
  type BrowserContext,
  type FrameLocator,
  type Locator,
  type Page,
} from '@playwright/test';
import type { TestServer } from './server.ts';

/** Somebody in a browser of their own. Whatever their pages complain of, or ask of a stranger’s host, is kept. */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors and warnings, uncaught errors, and requests to hosts that are not ours. */
  readonly complaints: string[];
  editor(path: string): Locator;
  result(): FrameLocator;
  saveState(): Locator;
}

/** Opens a browser context with default privacy settings. */
export async function newPerson(browser: Browser, server: TestServer): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const complaints: string[] = [];
  watch(context, server, complaints);
  const page = await context.newPage();
  return {
    page,
    context,
    complaints,
    editor: (path) => page.getByRole('textbox', { name: `Editor: ${path}` }),
    result: () => page.frameLocator('iframe[title="Result"]'),
    saveState: () => page.getByRole('status', { name: 'Save state' }),
  };
}

function watch(context: BrowserContext, server: TestServer, complaints: string[]): void {
  const port = new URL(server.address).port;
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (event) => complaints.push(`uncaught: ${event.error().message}`));
  context.on('request', (request) => {
    const url = new URL(request.url());
    const isOurs =
      /^(.*\.)?vitrine(-preview)?\.localhost$|^127\.0\.0\.1$/.test(url.hostname) &&
      url.port === port;
    if (!isOurs && !['data:', 'blob:'].includes(url.protocol))
      complaints.push(`request to ${url.origin}`);
  });
}

/** Replaces a file’s whole text by real keys, as a person would. */
export async function retype(person: Person, path: string, text: string): Promise<void> {
  await person.editor(path).click();
  await person.page.keyboard.press('ControlOrMeta+A');
  await person.page.keyboard.press('Delete');
  await person.page.keyboard.insertText(text);
}

/** Fills the sign-up form that is on screen. */
export async function signUp(person: Person, name: string): Promise<void> {
  const { page } = person;
  await page.getByLabel('E-mail').fill(`${name}@example.org`);
  await page.getByLabel('Username').fill(name);
  await page.getByLabel('Password').fill(`${name} likes long words`);
  await page.getByRole('button', { name: 'Create account' }).click();
}

/** Nothing was complained of, on the page or in the server’s log. */
export function expectQuiet(server: TestServer, ...people: Person[]): void {
  for (const person of people) expect(person.complaints).toEqual([]);
  expect(server.log.filter((line) => / (error|warn) /.test(line))).toEqual([]);
}
