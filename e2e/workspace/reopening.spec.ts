import { expect as impatient } from '@playwright/test';
import {
  expectQuiet,
  makePublic,
  newSignedInDevice,
  newSignedInUser,
  retype,
  rewrite,
  saveDraft,
  startDraft,
  test,
  type TestUser,
} from '../rig/test-user.ts';
import { untilLoaded } from '../user/user-page.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 15_000 });

let server: TestServer;
let rita: TestUser;

test.beforeAll(async ({ browser, sharedServer }) => {
  server = withEmptyLog(sharedServer);
  rita = await newSignedInUser(browser, server, 'rita');
});
test.afterAll(() => rita.context.close());

interface Template {
  readonly title: string;
  /** The address of the template that it begins with. */
  readonly from: string;
  /** Holds the heading. */
  readonly file: string;
  /** Size of the heading, in pixels, where its styles are compiled. */
  readonly size?: string;
  /** A file that is added to it, and the page that has it then. */
  readonly added?: { readonly path: string; readonly text: string; readonly page: string };
}

const templates: readonly Template[] = [
  { title: 'React', from: 'react', file: 'App.tsx' },
  { title: 'Preact', from: 'preact', file: 'App.tsx' },
  { title: 'Vue', from: 'vue', file: 'App.vue' },
  { title: 'Svelte', from: 'svelte', file: 'App.svelte' },
  { title: 'Markdown', from: 'markdown', file: 'index.md' },
  { title: 'Tailwind', from: 'tailwind', file: 'index.html', size: '72px' },
  {
    title: 'Sass',
    from: 'html',
    file: 'index.html',
    size: '61px',
    added: {
      path: 'style.scss',
      text: '$size: 61px; h1 { font-size: $size; }',
      page: '<!doctype html><link rel="stylesheet" href="style.scss"><h1>Make something</h1>',
    },
  },
];

/** Types a letter after the heading's text. */
async function typeInHeading({ page, editor }: TestUser, file: string, letter: string) {
  const line = editor(file).locator('.cm-line', { hasText: 'Make something' }).first();
  await page.getByRole('tab', { name: file, exact: true }).click();
  await line.click();
  await page.keyboard.press('End');
  const text = (await line.textContent()) ?? '';
  const behind = text.length - text.indexOf('something') - 'something'.length;
  for (let step = 0; step < behind; step += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(letter);
}

/** Waits until the service worker has stored what it received persistently. */
async function untilKept(person: TestUser, words: string): Promise<void> {
  const isKept = () =>
    person
      .preview()
      .locator('html')
      .evaluate(async (_, wanted) => {
        for (const name of await caches.keys()) {
          const cache = await caches.open(name);
          for (const request of await cache.keys())
            if ((await (await cache.match(request))?.text())?.includes(wanted)) return true;
        }
        return false;
      }, words);
  await expect.poll(isKept).toBe(true);
}

/** Adds a file with the New file button. */
async function addFile(person: TestUser, path: string, text: string): Promise<void> {
  const { page } = person;
  await page.getByRole('button', { name: 'New file' }).first().click();
  await page.getByRole('textbox', { name: 'New file name' }).fill(path);
  await page.keyboard.press('Enter');
  await retype(person, path, text);
}

for (const { title, from, file, size, added } of templates)
  test(`a saved ${title} project reopens as it was left, repeatedly`, async () => {
    await startDraft(rita, server, from);
    const heading = (name: string) => rita.preview().getByRole('heading', { name, exact: true });
    if (added) {
      await addFile(rita, added.path, added.text);
      await rewrite(rita, file, added.page);
    }
    await expect(heading('Make something')).toBeVisible();
    await saveDraft(rita);
    let words = 'Make something';
    for (const letter of ['a', 'b']) {
      await typeInHeading(rita, file, letter);
      words = words.replace('something', `something${letter}`);
      await expect(heading(words)).toBeVisible();
      await untilKept(rita, words);
      await expect(rita.saveState()).toHaveText('Saved');
      await rita.page.reload();
      await expect(heading(words)).toBeVisible();
      if (size) await expect(heading(words)).toHaveCSS('font-size', size);
    }
    expectQuiet(server, rita);
  });

test('a project whose packages are registered late shows its first edits offline', async ({
  browser,
}) => {
  await startDraft(rita, server, 'react');
  await expect(rita.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
  const address = await saveDraft(rita);
  // Has loaded nothing before.
  const away = await newSignedInDevice(browser, server, 'rita');
  // Routing would disable the browser's cache.
  await away.page.addInitScript(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const send = fetch;
    const sendLate: typeof fetch = async (...request) => {
      if (request[0] === '/npm/-/register') await promise;
      return await send(...request);
    };
    Object.assign(globalThis, { fetch: sendLate, register: resolve });
  });
  await away.page.goto(address);
  await untilLoaded(away);
  const registered = away.page.waitForResponse('**/npm/-/register');
  await away.page.evaluate('register()');
  await registered;
  await away.context.setOffline(true);
  // Compiled anew, it imports the packages that the page has loaded.
  await typeInHeading(away, 'App.tsx', 'a');
  const heading = away.preview().getByRole('heading', { name: 'Make somethinga' });
  await expect(heading).toBeVisible();
  // The page loads again, with the files that weren't edited as this device compiled them.
  await rewrite(
    away,
    'index.html',
    '<p>Away</p><div id="app"></div><script type="module" src="main.tsx"></script>',
  );
  await expect(away.preview().getByText('Away')).toBeVisible();
  await expect(heading).toBeVisible();
  await away.context.setOffline(false);
  await expect(away.saveState()).toHaveText('Saved', { timeout: 30_000 });
});

for (const { title, from, file } of templates.filter(({ title: name }) => /Vue|Preact/.test(name)))
  test(`a public ${title} project shows offline edits right after opening`, async () => {
    await startDraft(rita, server, from);
    const heading = (name: string) => rita.preview().getByRole('heading', { name, exact: true });
    await expect(heading('Make something')).toBeVisible();
    await saveDraft(rita);
    await makePublic(rita);
    await rita.page.reload();
    await expect(heading('Make something')).toBeVisible();
    await expect(rita.editor(file)).toBeVisible();
    await rita.context.setOffline(true);
    await typeInHeading(rita, file, 'a');
    await expect(rita.saveState()).toHaveText('Offline – saved on this device');
    await rita.context.setOffline(false);
    await expect(rita.saveState()).toHaveText('Saved', { timeout: 30_000 });
    await expect(heading('Make somethinga')).toBeVisible();
  });

/** Scripts that press Files on a phone in the moment that they are named after. */
const earlyPresses: Readonly<Record<string, () => void>> = {
  'before the app’s scripts run': () =>
    document.addEventListener('DOMContentLoaded', () => {
      for (const button of document.querySelectorAll<HTMLElement>('[aria-label="Files"]'))
        if (button.offsetParent) button.click();
    }),
  'before the app is hydrated': () => {
    const addListener = document.addEventListener.bind(document);
    let isPressed = false;
    const press = () => {
      for (const button of document.querySelectorAll<HTMLElement>('[aria-label="Files"]'))
        if (button.offsetParent) button.click();
    };
    // React listens to clicks from here on, and hydrates the page later.
    document.addEventListener = (type: string, ...rest: [EventListener]) => {
      addListener(type, ...rest);
      if (type === 'click' && !isPressed) queueMicrotask(press);
      isPressed ||= type === 'click';
    };
  },
};

for (const [moment, press] of Object.entries(earlyPresses))
  test(`a button pressed ${moment} works, once`, async ({ browser }) => {
    await startDraft(rita, server, 'html');
    const address = await saveDraft(rita);
    const { page } = await newSignedInDevice(browser, server, 'rita');
    await page.goto(address);
    const files = page.getByRole('button', { name: 'Files', exact: true });
    const row = page.getByRole('treeitem', { name: 'script.js', exact: true });
    if (!(await row.isVisible())) await files.click();
    await expect(row).toBeVisible();
    // On a phone, the panel is closed at first.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.addInitScript(press);
    await page.reload();
    await expect(row).toBeVisible();
    await page.context().close();
  });
