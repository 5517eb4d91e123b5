import { expect } from '@playwright/test';
import {
  accountButton,
  expectQuiet,
  makePublic,
  newSignedInUser,
  newVisitor,
  openAnotherTab,
  rewrite,
  saveDraft,
  signIn,
  startDraft,
  expectComplaints,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';
import {
  withOtherSite,
  observeUrl,
  getGuessAccuracy,
  measureResponseTimes,
} from '../rig/other-site.ts';

let server: TestServer;
/** A user with an account. */
let pia: TestUser;
let piasName: string;

test.beforeEach(async ({ browser, sharedServer }) => {
  server = withEmptyLog(sharedServer);
  piasName = uniqueName('pia');
  pia = await newSignedInUser(browser, server, piasName);
});

const page = (body: string) =>
  `<!doctype html><title>Page</title><link rel="stylesheet" href="style.css">${body}<script type="module" src="script.js"></script>`;

/**
 * The current frame. A hanging document in it would never respond to the driver.
 */
async function markFrame({ page }: TestUser): Promise<{ gone(): Promise<void> }> {
  const frame = await page.locator('iframe[title="Result"]').elementHandle();
  const isThere = () => frame?.evaluate((element) => element.isConnected);
  return { gone: () => expect.poll(isThere).toBe(false) };
}

test(
  'an infinite loop leaves the editor responsive, and a fix restarts the preview',
  { tag: '@journey' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await expect(ann.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
    await rewrite(ann, 'script.js', 'for (;;);');
    const alert = ann.page.getByRole('alert');
    await expect(alert).toContainText('The page isn’t responding');
    await expect(
      ann.page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true }),
    ).toBeVisible();
    const hung = await markFrame(ann);

    await ann.editor('script.js').press('Enter');
    await ann.page.keyboard.type('// typed while it hangs');
    await expect(ann.editor('script.js')).toContainText('// typed while it hangs');
    await rewrite(ann, 'script.js', 'document.querySelector("h1").textContent = "Back again"');
    await expect(alert).toHaveCount(0);
    await hung.gone();
    await expect(ann.preview().getByRole('heading', { name: 'Back again' })).toBeVisible();

    await rewrite(ann, 'script.js', 'for (;;) 1;');
    const stopped = await markFrame(ann);
    await ann.page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(alert).toHaveText('Stopped.');
    await stopped.gone();
    await rewrite(ann, 'script.js', 'document.querySelector("h1").textContent = "Run again"');
    await ann.page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(ann.preview().getByRole('heading', { name: 'Run again' })).toBeVisible();
    expectQuiet(server, ann);
  },
);

test('an unresponsive project does not start automatically when opened again', async ({
  browser,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', 'for (;;);');
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  const alert = ann.page.getByRole('alert');
  await expect(alert).toContainText('The page isn’t responding');
  await ann.page.reload();
  await expect(alert).toContainText('wasn’t started automatically');
  await ann.page.reload();
  await expect(alert).toContainText('wasn’t started automatically');

  await ann.page.getByRole('banner').getByRole('button', { name: 'Run', exact: true }).click();
  await expect(alert).toContainText('The page isn’t responding');
  await ann.page.getByRole('banner').getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(alert).toHaveText('Stopped.');
  await ann.page.reload();
  await expect(alert).toContainText('wasn’t started automatically');

  await rewrite(ann, 'script.js', 'document.querySelector("h1").textContent = "Mended"');
  await ann.page.getByRole('banner').getByRole('button', { name: 'Run', exact: true }).click();
  await expect(ann.preview().getByRole('heading', { name: 'Mended' })).toBeVisible();
  await ann.page.waitForFunction(
    () => !Object.keys(localStorage).some((key) => key.startsWith('vitrine run ')),
  );
  await ann.page.reload();
  await expect(ann.preview().getByRole('heading', { name: 'Mended' })).toBeVisible();
  expectQuiet(server, ann);
});

test('SB-25 a crashed preview is reported and restarts, and no edit is lost', async ({
  browser,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', '// before');
  await expect(ann.saveState()).toHaveText('Draft (this device only)');
  const result = ann.page.frames().find((frame) => frame.url().includes('//draft--'));
  if (!result) throw new Error('the result has no frame');
  // Playwright then considers the whole page crashed, but the DevTools protocol doesn't.
  const page = await ann.context.newCDPSession(ann.page);
  const see = async (expression: string): Promise<unknown> =>
    (await page.send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
  const alert = () => see(`document.querySelector('[role=alert]')?.textContent ?? ''`);
  const press = (name: string) =>
    see(
      `[...document.querySelectorAll('button')].find((it) => it.textContent === '${name}').click()`,
    );
  const itsOwn = await ann.context.newCDPSession(result);
  // The command that kills the process never returns.
  void itsOwn.send('Page.crash').catch(() => undefined);
  await expect.poll(alert).toMatch(/isn’t responding. It may be .* out of memory/);

  await press('Stop');
  await expect.poll(alert).toBe('Stopped.');
  await press('Run again');
  await expect.poll(alert).toBe('');
  await expect.poll(() => see(`document.querySelector('[aria-label=Address]').value`)).toBe('/');
  const editor = `document.querySelector('[aria-label="Editor: script.js"]')`;
  await see(`${editor}.focus()`);
  await page.send('Input.insertText', { text: ' and after' });
  await expect.poll(() => see(`${editor}.textContent`)).toBe('// before and after');
  const saveState = `document.querySelector('[aria-label="Save state"]').textContent`;
  await expect.poll(() => see(saveState)).toBe('Draft (this device only)');
  const again = await openAnotherTab(ann);
  await again.page.goto(ann.page.url());
  await again.page.getByRole('tab', { name: 'script.js', exact: true }).click();
  await expect(again.editor('script.js')).toHaveText('// before and after');
  expectQuiet(server, ann);
});

test('logs and errors are shown in the bottom panel, and lead to their line', async ({
  browser,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', 'console.log("hello from the page", { a: 1 });\n\nnull.missing;');
  await ann.page.getByRole('tab', { name: 'Console' }).click();
  const log = ann.page.getByRole('log', { name: 'Console' });
  await expect(log).toContainText('hello from the page');
  await expect(log.getByRole('button', { name: 'script.js:1' })).toBeVisible();

  await ann.page.getByRole('tab', { name: 'index.html' }).click();
  await ann.page.getByRole('tab', { name: 'Problems' }).click();
  const problem = ann.page.getByRole('list', { name: 'Problems' }).getByRole('button');
  await expect(problem).toContainText('script.js:3');
  await problem.click();
  await expect(ann.editor('script.js')).toBeFocused();
  await ann.page.keyboard.press('End');
  await ann.page.keyboard.insertText(' // here');
  await expect(ann.editor('script.js')).toContainText('null.missing; // here');
  await expectComplaints(ann, /uncaught: .*null/);
  expectQuiet(server, ann);
});

test('a stylesheet edit keeps the document', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  const heading = ann.preview().getByRole('heading', { name: 'Make something' });
  await heading.evaluate(() => Object.assign(window, { marker: 'kept' }));
  await rewrite(ann, 'style.css', 'h1 { color: rgb(4, 5, 6) }');
  await expect(heading).toHaveCSS('color', 'rgb(4, 5, 6)');
  expect(await heading.evaluate(() => 'marker' in window && window.marker)).toBe('kept');
  expectQuiet(server, ann);
});

test('a mailto link leaves the preview unchanged', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'empty');
  await rewrite(ann, 'index.html', '<a href="mailto:a@example.com">Mail</a>');
  const handed = ann.page.waitForEvent('console', (message) =>
    message.text().startsWith('Launched external handler'),
  );
  await ann.preview().getByRole('link', { name: 'Mail' }).click();
  await handed;
  await expect(ann.preview().getByRole('link', { name: 'Mail' })).toBeVisible();
  // No request to any host.
  await expectComplaints(ann, /^request to null$/);
  expectQuiet(server, ann);
});

test(
  'a private project runs only for its owner; a public one has its own page',
  { tag: '@journey' },
  async ({ browser }) => {
    await startDraft(pia, server, 'empty');
    await rewrite(pia, 'index.html', page('<h1>For Pia</h1>'));
    const heading = pia.preview().getByRole('heading', { name: 'For Pia' });
    await expect(heading).toBeVisible();
    const address = await saveDraft(pia);
    const slug = address.split('/').at(-1);
    await pia.page.reload();
    await expect(heading).toBeVisible();
    await pia.page.goto(`${address}/full`);
    await expect(heading).toBeVisible();

    const stranger = await newVisitor(browser, server);
    for (const host of [`${slug}.${server.host}`, `edit--${slug}.${server.host}`]) {
      const response = await stranger.page.goto(`http://${host}/`);
      expect(response?.status()).toBe(404);
      await expect(stranger.page.getByText('For Pia')).toHaveCount(0);
    }
    expect((await stranger.page.goto(`${address}/full`))?.status()).toBe(404);
    await expectComplaints(stranger, /404/);

    await pia.page.goto(address);
    await makePublic(pia);
    await stranger.page.goto(`http://${slug}.${server.host}/`);
    await expect(stranger.page.getByText(`${piasName} made this page`)).toBeVisible();
    await stranger.page.getByRole('link', { name: 'Continue to the page' }).click();
    await expect(stranger.page.getByRole('heading', { name: 'For Pia' })).toBeVisible();
    await stranger.page.goto(`${address}/full`);
    await expect(stranger.preview().getByRole('heading', { name: 'For Pia' })).toBeVisible();
    await stranger.page.getByRole('link', { name: 'View code' }).click();
    await expect(stranger.editor('index.html')).toContainText('For Pia');
    expectQuiet(server, pia, stranger);
  },
);

test('a project that its owner makes private keeps its preview when that is reloaded', async () => {
  await startDraft(pia, server, 'html');
  await rewrite(pia, 'index.html', '<h1>Mine</h1>');
  await saveDraft(pia);
  await makePublic(pia);
  await pia.page.reload();
  await expect(pia.preview().getByRole('heading', { name: 'Mine' })).toBeVisible();
  await pia.page.getByRole('combobox', { name: 'Visibility' }).click();
  await pia.page.getByRole('option', { name: 'Private' }).click();
  await expect(pia.page.getByRole('combobox', { name: 'Visibility' })).toContainText('Private');
  const shown = await markFrame(pia);
  await pia.page.getByRole('button', { name: 'Run', exact: true }).click();
  await shown.gone();
  await expect(pia.preview().getByRole('heading', { name: 'Mine' })).toBeVisible();
  expectQuiet(server, pia);
});

test('the full-page preview follows its project, and ends when the project becomes private', async ({
  browser,
}) => {
  await startDraft(pia, server, 'empty');
  await rewrite(pia, 'index.html', page('<a href="about.html">About</a>'));
  await pia.page.getByRole('button', { name: 'Files', exact: true }).click();
  await pia.page.getByRole('button', { name: 'New file' }).first().click();
  await pia.page.getByRole('textbox', { name: 'New file name' }).fill('about.html');
  await pia.page.keyboard.press('Enter');
  await rewrite(pia, 'about.html', page('<h1>About us</h1><a href="index.html">Home</a>'));
  const address = await saveDraft(pia);
  await makePublic(pia);
  const stranger = await newVisitor(browser, server);
  const follow = (name: string) => stranger.preview().getByRole('link', { name }).click();
  const heading = (name: string) => stranger.preview().getByRole('heading', { name });
  await stranger.page.goto(`${address}/full`);
  await follow('About');
  await expect(heading('About us')).toBeVisible();
  await follow('Home');

  await rewrite(pia, 'about.html', page('<h1>About them</h1><a href="index.html">Home</a>'));
  await expect(pia.saveState()).toHaveText('Saved');
  await follow('About');
  await expect(heading('About them')).toBeVisible();
  await expect(stranger.page.getByText('In this browser')).toHaveCount(0);

  await pia.page.getByRole('combobox', { name: 'Visibility' }).click();
  await pia.page.getByRole('option', { name: 'Private' }).click();
  await expect(pia.page.getByRole('combobox', { name: 'Visibility' })).toContainText('Private');
  await follow('Home');
  await expect(stranger.page.getByText('Page not found')).toBeVisible();
  await expect(stranger.page.getByText('Sign in if you have access.')).toBeVisible();
  await expectComplaints(stranger, /404/);

  const name = uniqueName('hopper');
  const hopper = await newSignedInUser(browser, server, name);
  await hopper.page.goto(address);
  await expect(hopper.page.getByText('It may be private or no longer exist.')).toBeVisible();
  await expect(accountButton(hopper, name)).toBeVisible();
  await expect(hopper.page.getByText('Sign in')).toHaveCount(0);
  await expectComplaints(hopper, /404/);
  expectQuiet(server, pia);
});

test(
  'examples run as on a server: pages, relative fetch, workers',
  { tag: '@long' },
  async ({ browser }) => {
    // The guide's pages have view transitions; leaving during one would log an error.
    const ann = await newVisitor(browser, server, { reducedMotion: 'reduce' });
    await startDraft(ann, server, 'clouds');
    await ann.preview().getByRole('link', { name: 'How to look' }).click();
    await expect(ann.preview().getByRole('link', { name: 'How to look' })).toHaveAttribute(
      'aria-current',
      'page',
    );
    await ann.preview().getByRole('link', { name: 'Guide', exact: true }).click();
    await expect(
      ann.preview().getByRole('heading', { name: 'What is that up there?' }),
    ).toBeVisible();

    await startDraft(ann, server, 'daylight');
    await expect(ann.preview().getByRole('listitem').first()).toContainText(' h ');
    await startDraft(ann, server, 'mandelbrot');
    await expect(ann.preview().getByRole('status')).toContainText('Enlarged');
    expectQuiet(server, ann);
  },
);

test('opened by IP address, the demo runs with the srcdoc transport', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await ann.page.goto(`http://127.0.0.1:${new URL(server.address).port}`);
  await expect(ann.preview().locator('body')).not.toBeEmpty();
  expect(new URL(ann.page.url()).hostname).toBe('127.0.0.1');
  await expectComplaints(ann, /could not be origin-keyed/);
  expectQuiet(server, ann);
});

test('SB-02 a preview has no session, and its requests with the cookie are rejected', async () => {
  await startDraft(pia, server, 'html');
  const body = pia.preview().locator('main');
  expect(await body.evaluate(() => document.cookie)).toBe('');
  const asked = `${server.address}/work`;
  const sent = pia.context.waitForEvent('request', (request) => request.url() === asked);
  const read = await body.evaluate(
    (_, address) =>
      fetch(address, { credentials: 'include' }).then(
        (got) => got.text(),
        () => 'refused',
      ),
    asked,
  );
  expect(read).toBe('refused');
  await sent;
  await expectComplaints(pia, /CORS|Failed to load/);
  expectQuiet(server, pia);
});

test('SB-12 no message of a preview writes anything', async () => {
  await startDraft(pia, server, 'html');
  await saveDraft(pia);
  await pia.page.reload();
  await pia.preview().locator('main').waitFor();
  const text = await pia.editor('index.html').innerText();
  const written: string[] = [];
  pia.page.on('request', (request) => {
    // The session's requests, and the app's first load of the project.
    const isOther = /\/auth\/v1\/|\/rpc\/load_document$/.test(request.url());
    if (request.method() !== 'GET' && !isOther) written.push(request.url());
  });
  // As user code can: performs the handshake itself, then sends arbitrary messages.
  await pia
    .preview()
    .locator('main')
    .evaluate((_, app) => {
      const { port1, port2 } = new MessageChannel();
      const shown = { kind: 'saved', revision: 1 };
      const hello = { vitrine: 'hello', protocol: 2, shown, path: 'index.html' };
      parent.postMessage(hello, app, [port2]);
      const types =
        'painted service-worker-unavailable pong dropped applied invalid visit scrolled dialog console console-response problem tests address requests details audit-started findings audit-failed screenshot-failed tool-missing store write save files update snapshots'.split(
          ' ',
        );
      const place = { path: 'index.html', line: 1, column: 1 };
      const text = '<h1>Forged</h1>';
      const values: unknown[] = [
        1,
        0,
        -1,
        '',
        'index.html',
        text,
        true,
        null,
        [],
        {},
        {
          kind: 'done',
          durationMs: 1,
          errors: [],
          added: 1,
          changed: 1,
          writes: [{ kind: 'file', text }],
        },
        { kind: 'error', message: text, stack: '', ...place },
        { method: 'log', values: [{ type: 'text', text }], time: 0, ...place },
      ];
      const names =
        'count version outcome id path hash x y open entry response problem event address canGoBack canGoForward requests dropped details findings checks message tool files text'.split(
          ' ',
        );
      let seed = 42;
      const pick = <T>(from: readonly T[]): T => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return from[seed % from.length] as T;
      };
      for (let count = 0; count < 3_000; count += 1)
        port1.postMessage({
          type: pick(types),
          ...Object.fromEntries(names.map((name) => [name, pick(values)])),
        });
      console.log('all messages sent');
    }, server.address);
  await pia.page.getByRole('tab', { name: 'Console' }).click();
  await expect(pia.page.getByRole('log', { name: 'Console' })).not.toBeEmpty();
  await pia.page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(pia.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
  await expect(pia.saveState()).toHaveText('Saved');
  expect(await pia.editor('index.html').innerText()).toBe(text);
  expect(written).toEqual([]);
  pia.complaints.length = 0;
});

test('SB-18 nobody has a reference to the app’s window', async ({ browser }) => {
  const context = await browser.newContext();
  await withOtherSite(context, async (page) => {
    const opened = context.waitForEvent('page');
    await page.evaluate((address) => void window.open(address), `${server.address}/new`);
    const app = await opened;
    await expect(app.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await app.evaluate(() => window.opener)).toBe(null);
  });
});

test('SB-28 another site cannot distinguish a user’s private project from a missing one', async () => {
  await startDraft(pia, server, 'html');
  const hers = await saveDraft(pia);
  await pia.page.reload();
  await pia.preview().locator('main').waitFor();
  const [slug = '', none] = [new URL(hers).pathname.split('/').at(-1), 'nonenoneno'];
  const preview = `http://edit--${slug}.${new URL(server.address).host}/`;
  const pairs = [hers, `${preview}index.html`].map((address) => [
    address,
    address.replace(slug, none),
  ]);
  await withOtherSite(pia.context, async (page) => {
    for (const [there = '', absent = ''] of pairs) {
      const seen = await page.evaluate(observeUrl, there);
      expect(await page.evaluate(observeUrl, absent), there).toEqual(seen);
      expect(seen.sizes.length, there).toBeGreaterThan(2);
      const times = await page.evaluate(measureResponseTimes, {
        addresses: [there, absent],
        count: 60,
      });
      expect(Math.abs(getGuessAccuracy(times) - 0.5), there).toBeLessThan(0.2);
    }
    // A window that it opens has her session; it may only learn that the reference is closed.
    await page.evaluate((addresses) => {
      const opened = addresses.map((address) => window.open(address));
      Object.assign(window, { opened });
    }, pairs[0] ?? []);
    const lengths = () =>
      page.evaluate(() => {
        const opened = Reflect.get(window, 'opened') as (Window | null)[];
        return opened.map((one) => (one?.closed ? 'gone' : one?.length));
      });
    await expect.poll(lengths).toEqual(['gone', 'gone']);
  });
  pia.complaints.length = 0;
});

test('SB-05 SB-18 no frame shows the app, a preview that navigates there is stopped, and the full-page preview has no window reference', async () => {
  await startDraft(pia, server, 'html');
  await pia.preview().locator('main').waitFor();
  const draft = new URL(pia.page.url()).pathname;
  const project = new URL(await saveDraft(pia)).pathname;
  const screens = ['/', '/new', '/work', '/settings/profile', project, `${project}/full`];
  for (const screen of screens) {
    await pia.page.goto(server.address + screen);
    if (screen.startsWith(project)) await pia.preview().locator('main').waitFor();
    for (const frame of pia.page.frames()) {
      if (frame === pia.page.mainFrame()) continue;
      const flags = await (await frame.frameElement()).getAttribute('sandbox');
      expect(flags, screen).not.toBeNull();
      expect(new URL(frame.url()).origin, screen).not.toBe(server.address);
    }
  }
  await pia.page.goto(server.address + project);
  const opened = pia.context.waitForEvent('page');
  await pia.page.getByRole('link', { name: 'Open in new tab' }).click();
  const alone = await opened;
  await alone.waitForLoadState();
  expect(await alone.evaluate(() => window.opener)).toBe(null);
  await alone.close();
  await pia.page.goto(server.address + draft);
  const nested = pia.page.waitForResponse(`${server.address}/work`);
  await pia
    .preview()
    .locator('main')
    .evaluate((main, address) => {
      const frame = document.createElement('iframe');
      frame.src = address;
      main.append(frame);
    }, `${server.address}/work`);
  expect((await nested).status()).toBe(403);

  await pia
    .preview()
    .locator('main')
    .evaluate((_, address) => void (location.href = address), `${server.address}/work`);
  await expect(pia.page.getByRole('alert')).toContainText('navigated away from this project');
  await pia.page.getByRole('button', { name: 'Run again' }).click();
  await expect(pia.preview().locator('main')).toBeVisible();
  await expectComplaints(pia, /Content Security Policy|403|Refused|frame/i);
  expectQuiet(server, pia);
});

for (const flood of [
  { title: 'by their number', length: 1 },
  { title: 'by their size', length: 2_000 },
]) {
  test(
    `600 cookies of a preview, a flood ${flood.title}, cost a member no more than a click`,
    {
      ...(flood.length > 1 && { tag: '@long' }),
    },
    async ({ browser }) => {
      const name = `member-${flood.length}`;
      const quin = await newSignedInUser(browser, server, name);
      await startDraft(quin, server, 'empty');
      await rewrite(quin, 'index.html', page('<h1>Kept through the flood</h1>'));
      await expect(quin.preview().getByRole('heading')).toBeVisible();
      const draft = quin.page.url();
      await quin
        .preview()
        .locator('body')
        .evaluate(
          (_, { host, length }) => {
            for (let n = 0; n < 600; n++)
              document.cookie = `c${n}=${'x'.repeat(length)}; Domain=${host}; Path=/; Secure`;
          },
          { host: new URL(server.address).hostname, length: flood.length },
        );
      // The browser stores them one after the other.
      await expect
        .poll(async () => (await quin.context.cookies()).some((cookie) => cookie.name === 'c599'))
        .toBe(true);

      await quin.page.goto(`${server.address}/work`);
      if (flood.length > 1) {
        await quin.page.getByRole('link', { name: 'Continue' }).click();
        await expect(quin.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
      }
      if (!(await accountButton(quin, name).isVisible())) await signIn(quin, server, { name });
      await quin.page.goto(draft);
      await expect(quin.editor('index.html')).toContainText('Kept through the flood');
      expectQuiet(server, quin);
    },
  );
}

test('a saved project runs before the app’s scripts are requested, and continues once they have loaded', async ({
  browser,
}) => {
  await startDraft(pia, server, 'html');
  const address = await saveDraft(pia);
  // Once as her own private project, once as another user's.
  await beginsWithThePage(pia, address);
  await expect(pia.saveState()).toHaveText('Saved');
  await makePublic(pia);
  await beginsWithThePage(await newVisitor(browser, server), address);
  expectQuiet(server, pia);
});

async function beginsWithThePage(person: TestUser, address: string): Promise<void> {
  const { page, context } = person;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const scripts = /\/assets\/.*\.js$/;
  // The others do nothing without it.
  const entry = /\/assets\/entry\.client-.*\.js$/;
  await context.route(entry, async (route) => {
    await released;
    await route.continue();
  });
  const asked: string[] = [];
  await page.goto('about:blank');
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(address, { waitUntil: 'commit' });
  const root = person.preview().locator('html');
  await expect(person.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
  await expect.poll(() => asked.some((url) => scripts.test(url))).toBe(true);
  const isResult = (url: string) => new URL(url).host !== new URL(address).host;
  expect(isResult(asked.find((url) => scripts.test(url) || isResult(url)) ?? address)).toBe(true);
  await root.evaluate((html) => (html.dataset['document'] = 'first'));
  release();
  await expect(page.getByRole('textbox', { name: /^Editor: / }).first()).toBeVisible();
  await rewrite(person, 'style.css', 'h1 { color: rgb(1, 2, 3) }');
  await expect(person.preview().getByRole('heading')).toHaveCSS('color', 'rgb(1, 2, 3)');
  await expect(root).toHaveAttribute('data-document', 'first');
  await context.unroute(entry);
}
