/** Drives a page of the app as a user, with its browser profile. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  BrowserContext,
  BrowserType,
  Frame,
  LaunchOptions,
  Locator,
  Page,
} from '@playwright/test';
import { getEmail, openFirstPage, getPassword, type TestUser } from '../rig/test-user.ts';
import type { TestServer } from '@vitrine/testing/server';
import type { PlannedEdit } from './model.ts';

/** A preview's text, and the look of its main elements. */
export interface PreviewContent {
  readonly text: string;
  /** The body's `data-` attributes, written by scripts. */
  readonly data: Readonly<Record<string, string | undefined>>;
  readonly elements: readonly string[];
  /** Width of each image's picture, in pixels; 0 for one that isn't loaded. */
  readonly images: readonly number[];
  /** Width of the picture in the page's background; 0 if there is none or it can't be loaded. */
  readonly background: number;
  readonly width: number;
  readonly height: number;
}

/** Timeout in milliseconds for anything on a slow machine. */
export const patience = 30_000;

/** Polls until the function returns a value. Ignores errors. Undefined on timeout. */
export async function poll<T>(
  ask: () => Promise<T | undefined>,
  timeoutMs = patience,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // A frame that hangs never responds.
    const answer = await Promise.race([ask().catch(() => undefined), delay(5_000, undefined)]);
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) return undefined;
    await delay(50);
  }
}

/** Polls until a condition holds. Throws with its description on timeout. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  timeoutMs = patience,
): Promise<void> {
  if (await poll(async () => (await isSo()) || undefined, timeoutMs)) return;
  throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
}

/** The text in a file's editor; undefined if the file isn't open. */
export async function readEditor({ page }: TestUser, path: string): Promise<string | undefined> {
  return page.evaluate((label) => {
    const editor = document.querySelector(`[aria-label="${CSS.escape(label)}"]`);
    if (!editor) return undefined;
    return Array.from(editor.querySelectorAll('.cm-line'), (line) => line.textContent).join('\n');
  }, `Editor: ${path}`);
}

/** Replaces a field's text by typing. What Playwright's `fill` enters in Firefox, React doesn't see. */
export async function enterText(field: Locator, text: string): Promise<void> {
  await field.fill('');
  await field.pressSequentially(text);
}

/** Opens a file by its tab or its name. */
export async function openFile(person: TestUser, path: string): Promise<void> {
  const { page } = person;
  const tab = page.getByRole('tab', { name: path, exact: true });
  if ((await tab.count()) === 0) {
    const field = page.getByRole('combobox', { name: 'File', exact: true });
    // A page that still loads shows its editor before it handles other keys.
    await until('the list of files', async () => {
      await page.keyboard.press('ControlOrMeta+P');
      await field.waitFor({ timeout: 2_000 });
      return true;
    });
    await enterText(field, path);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
  } else await tab.first().click();
  await person.editor(path).first().waitFor();
}

/** Opens a text and focuses its row in the tree. */
export async function focusTreeRow(person: TestUser, path: string): Promise<void> {
  await openFile(person, path);
  await showPanel(person, 'Files');
  await treeRow(person, path).focus();
}

/** A file's row in the tree, which must be shown. */
export function treeRow({ page }: TestUser, path: string): Locator {
  return page
    .getByRole('tree', { name: 'Files' })
    .getByRole('treeitem', { name: path, exact: true });
}

/** Shows a panel of the sidebar. */
export async function showPanel({ page }: TestUser, name: 'Files' | 'History'): Promise<void> {
  const panels = page.getByRole('navigation', { name: 'Panels' });
  const button = panels.getByRole('button', { name, exact: true });
  if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click();
}

/** Runs the project once its document is open, with all edits of this device. */
export async function runProject(person: TestUser): Promise<void> {
  const { page } = person;
  await until('the document', async () => (await readSaveState(person)) !== undefined);
  await page.getByRole('banner').getByRole('button', { name: 'Run', exact: true }).click();
}

/** Waits for an open file, as after a page load. */
export async function untilOpen({ page }: TestUser): Promise<void> {
  await findOpenFile(page).waitFor({ timeout: patience });
}

/** The editor of a text, or the description of an asset. */
export function findOpenFile(page: Page): Locator {
  const editors = page.getByRole('textbox', { name: /^Editor: / });
  return editors.or(page.getByText(/^image\/png · /)).first();
}

/** Waits until all changes are saved. */
export async function untilSaved(person: TestUser): Promise<void> {
  await until('edits to be saved', async () =>
    /^(?:saved|draft-saved-locally|offline)$/.test((await readSaveState(person)) ?? ''),
  );
}

/**
 * Waits until the preview has loaded and its service worker, if it has one, controls it, and until
 * the page has made no request for half a second.
 */
export async function untilLoaded({ page }: TestUser): Promise<void> {
  let before = 0;
  await until('a page that has loaded', async () => {
    const preview = await page.locator('iframe[title="Result"]').elementHandle();
    const frame = await preview?.contentFrame();
    const hasLoaded = await frame
      ?.evaluate(
        () =>
          document.readyState === 'complete' &&
          (self.origin === 'null' || navigator.serviceWorker.controller !== null),
      )
      .catch(() => false);
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').length);
    const isSame = asked === before && hasLoaded === true;
    before = asked;
    if (!isSame) await delay(500);
    return isSame;
  });
}

export async function reload(person: TestUser): Promise<void> {
  await untilSaved(person);
  await person.page.reload();
  await untilOpen(person);
}

/** Starts a draft from a template. */
export async function startDraftAt(
  person: TestUser,
  origin: string,
  template: string,
): Promise<void> {
  await person.page.goto(`${origin}/new/${template}`);
  await person.page.waitForURL(/\/draft\/[a-z0-9]+$/);
  await untilOpen(person);
}

/** URL of the open project, without the part that says what is open in it. */
export function getProjectAddress({ page }: TestUser): string {
  const { origin, pathname } = new URL(page.url());
  return origin + pathname;
}

/** Waits until the URL is that of a project other than `other`. */
export async function untilAtProject({ page }: TestUser, other?: string): Promise<void> {
  await page.waitForURL(
    ({ href, pathname }) => href !== other && /^\/@[a-z0-9-]+\/[a-z0-9]{16}$/.test(pathname),
  );
}

export async function signInAt(
  { page }: TestUser,
  origin: string,
  username: string,
): Promise<void> {
  await page.goto(`${origin}/auth/sign-in`);
  await page.getByLabel('Email').fill(getEmail(username));
  await page.getByLabel('Password').fill(getPassword(username));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: `Account menu for ${username}` }).waitFor();
}

/** Signs out with the account menu, on any page except the workspace. */
export async function signOutAs({ page }: TestUser, username: string): Promise<void> {
  await page.getByRole('button', { name: `Account menu for ${username}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
}

/** Chooses an item of the workspace menu. */
export async function chooseFromMenu(
  { page }: TestUser,
  role: 'menuitem' | 'menuitemradio',
  name: string,
): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole(role, { name, exact: true }).click();
  // Radio items leave the menu open.
  if (role === 'menuitemradio') await page.keyboard.press('Escape');
}

export async function openShareDialog({ page }: TestUser): Promise<Locator> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Share' });
  await dialog.getByRole('list', { name: 'Members' }).waitFor();
  return dialog;
}

export async function closeShareDialog({ page }: TestUser): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Share' });
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Selects a range of a file and replaces it: words are typed, code is pasted. */
export async function typeEdit(person: TestUser, edit: PlannedEdit): Promise<void> {
  const { path, before, insert } = edit;
  await openFile(person, path);
  const isShown = await poll(async () => (await readEditor(person, path)) === before || undefined);
  if (!isShown) {
    const shown = JSON.stringify(await readEditor(person, path));
    throw new Error(`${path} has to have ${JSON.stringify(before)} before an edit, not ${shown}`);
  }
  await select(person, edit);
  if (insert === '') await person.page.keyboard.press('Delete');
  else if (/^[\w ]+$/.test(insert)) await person.page.keyboard.type(insert);
  else await paste(person, path, insert);
}

async function paste(person: TestUser, path: string, text: string): Promise<void> {
  await person
    .editor(path)
    .first()
    .evaluate((editor, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      // Firefox reads `data`, other browsers `clipboardData`.
      const data = { clipboardData, data: pasted, dataType: 'text/plain' };
      editor.dispatchEvent(
        new ClipboardEvent('paste', { ...data, bubbles: true, cancelable: true }),
      );
    }, text);
}

/** Selects a range of a file, or moves the cursor there. */
export async function select(
  person: TestUser,
  { path, from, to }: { path: string; from: number; to: number },
): Promise<void> {
  const field = person.editor(path).first();
  await field.focus();
  // The editor notices its focus a moment later, and then restores its own selection.
  await until('the focus', () =>
    field.evaluate((editor) => editor.closest('.cm-focused') !== null),
  );
  await field.evaluate(
    async (editor, offsets) => {
      const lines = [...editor.querySelectorAll('.cm-line')];
      const find = (offset: number): [Node, number] => {
        let rest = offset;
        for (const line of lines) {
          const length = line.textContent.length;
          if (rest > length) {
            rest -= length + 1;
            continue;
          }
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const { length: here } = node.textContent ?? '';
            if (rest <= here) return [node, rest];
            rest -= here;
          }
          return [line, 0];
        }
        throw new Error(`offset ${offset} is not rendered in the editor`);
      };
      const [start, end] = [find(offsets.from), find(offsets.to)];
      const selection = getSelection();
      const { anchorNode, anchorOffset, focusNode, focusOffset } = selection ?? {};
      const before = [anchorNode, anchorOffset, focusNode, focusOffset];
      if ([...start, ...end].every((each, index) => each === before[index])) return;
      // The editor learns of it by this event, and a paste may come earlier.
      const changed = new Promise((resolve) => {
        document.addEventListener('selectionchange', resolve, { once: true });
      });
      selection?.setBaseAndExtent(...start, ...end);
      await changed;
    },
    { from, to },
  );
}

/** Reads a preview; undefined if there is none, or while it is replaced. */
export async function readPreview(
  { page }: TestUser,
  title = 'Result',
): Promise<PreviewContent | undefined> {
  const frames = await page.locator(`iframe[title="${title}"]`).elementHandles();
  const [element, ...others] = frames;
  const frame = others.length === 0 ? await element?.contentFrame() : null;
  return frame ? readFrame(frame) : undefined;
}

function readFrame(frame: Frame): Promise<PreviewContent> {
  return frame.evaluate(async () => {
    const background = new Image();
    const { backgroundImage } = getComputedStyle(document.documentElement);
    const [, url] = /^url\("(.*)"\)$/.exec(backgroundImage) ?? [];
    if (url !== undefined) {
      background.src = url;
      await background.decode().catch(() => undefined);
    }
    const visible = document.querySelectorAll(
      'h1, h2, p, button, output, li, a, strong, code, td, [class]',
    );
    const elements = Array.from(visible).slice(0, 40);
    return {
      text: document.body.innerText.replaceAll(/\s+/g, ' ').trim(),
      data: { ...document.body.dataset },
      elements: [document.body, ...elements].map((element) => {
        const { color, backgroundColor, fontSize, display, padding, fontWeight } =
          getComputedStyle(element);
        const styles = [color, backgroundColor, fontSize, display, padding, fontWeight].join(' ');
        return `${element.localName} “${element.textContent.trim().slice(0, 40)}” ${styles}`;
      }),
      images: Array.from(document.images, ({ naturalWidth }) => naturalWidth),
      background: background.naturalWidth,
      width: innerWidth,
      height: innerHeight,
    };
  });
}

/**
 * The save state as in the app's code: `saved`, `saving`, `draft-saved-locally`, `offline`, `rejected`,
 * `not-stored`.
 */
export async function readSaveState(person: TestUser): Promise<string | undefined> {
  return (await person.saveState().getAttribute('data-status', { timeout: 1_000 })) ?? undefined;
}

/** A persistent browser profile. */
export interface Profile {
  person: TestUser;
  /** Closes the browser and reopens it with the same profile. */
  reopen(): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a profile. `prepare` runs in the new browser before complaints are recorded. */
export async function createProfile(
  { type, options }: { type: BrowserType; options: LaunchOptions },
  server: TestServer,
  prepare: (context: BrowserContext) => Promise<void>,
): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-profile-'));
  const open = () =>
    type.launchPersistentContext(folder, {
      ...options,
      viewport: { width: 1440, height: 900 },
    });
  const first = await open();
  await prepare(first);
  const profile: Profile = {
    person: await openFirstPage(first, server),
    async reopen() {
      await profile.person.context.close();
      const person = await openFirstPage(await open(), server);
      person.complaints.push(...profile.person.complaints);
      profile.person = person;
    },
    async remove() {
      await profile.person.context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return profile;
}
