import { expect } from '@playwright/test';
import {
  accountButton,
  expectQuiet,
  leaveAll,
  makePublic,
  newMember,
  newPerson,
  rewrite,
  saveDraft,
  signIn,
  startDraft,
  takeComplaints,
  test,
  type Person,
} from './person.ts';
import { startServer, type TestServer } from './server.ts';

let server: TestServer;
/** Has an account for the whole file, and a tab of their own in each test. */
let pia: Person;

test.beforeAll(async ({ browser }) => {
  server = await startServer();
  pia = await newMember(browser, server, 'pia');
});
test.afterAll(async ({ browser }) => {
  await leaveAll(browser);
  await server.remove();
});

const page = (body: string) =>
  `<!doctype html><title>Page</title><link rel="stylesheet" href="style.css">${body}<script type="module" src="script.js"></script>`;

test('a loop leaves the editor alive, and its fix brings the result back by itself', async ({
  browser,
}) => {
  const ann = await newPerson(browser, server);
  await startDraft(ann, server, 'html');
  await expect(ann.result().getByRole('heading', { name: 'Make something' })).toBeVisible();
  await rewrite(ann, 'script.js', 'for (;;);');
  await expect(ann.page.getByRole('alert')).toContainText('The page does not answer');
  await expect(ann.page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();

  await ann.editor('script.js').press('Enter');
  await ann.page.keyboard.type('// typed while it hangs');
  await expect(ann.editor('script.js')).toContainText('// typed while it hangs', { timeout: 500 });
  await rewrite(ann, 'script.js', 'document.querySelector("h1").textContent = "Back again"');
  await expect(ann.result().getByRole('heading', { name: 'Back again' })).toBeVisible();
  await expect(ann.page.getByRole('alert')).toHaveCount(0);

  await rewrite(ann, 'script.js', 'for (;;) 1;');
  await ann.page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(ann.page.getByRole('alert')).toHaveText('Stopped.');
  await rewrite(ann, 'script.js', 'document.querySelector("h1").textContent = "Run again"');
  await ann.page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(ann.result().getByRole('heading', { name: 'Run again' })).toBeVisible();
  expectQuiet(server, ann);
});

test('what the page logs and where it fails stand in the dock, and lead to the line', async ({
  browser,
}) => {
  const ann = await newPerson(browser, server);
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
  await takeComplaints(ann, /uncaught: .*null/);
  expectQuiet(server, ann);
});

test('an edit of the style keeps the document', async ({ browser }) => {
  const ann = await newPerson(browser, server);
  await startDraft(ann, server, 'html');
  const heading = ann.result().getByRole('heading', { name: 'Make something' });
  await heading.evaluate(() => Object.assign(window, { marker: 'kept' }));
  await rewrite(ann, 'style.css', 'h1 { color: rgb(4, 5, 6) }');
  await expect(heading).toHaveCSS('color', 'rgb(4, 5, 6)');
  expect(await heading.evaluate(() => 'marker' in window && window.marker)).toBe('kept');
  expectQuiet(server, ann);
});

test('a private project runs for its owner alone; a public one has a page of its own', async ({
  browser,
}) => {
  await startDraft(pia, server, 'empty');
  await rewrite(pia, 'index.html', page('<h1>For Pia</h1>'));
  const heading = pia.result().getByRole('heading', { name: 'For Pia' });
  await expect(heading).toBeVisible();
  const address = await saveDraft(pia);
  const slug = address.split('/').at(-1);
  await pia.page.reload();
  await expect(heading).toBeVisible();
  await pia.page.goto(`${address}/full`);
  await expect(heading).toBeVisible();

  const stranger = await newPerson(browser, server);
  for (const host of [`${slug}.${server.host}`, `edit--${slug}.${server.host}`]) {
    const response = await stranger.page.goto(`http://${host}/`);
    expect(response?.status()).toBe(404);
    await expect(stranger.page.getByText('For Pia')).toHaveCount(0);
  }
  expect((await stranger.page.goto(`${address}/full`))?.status()).toBe(404);
  await takeComplaints(stranger, /404/);

  await pia.page.goto(address);
  await makePublic(pia);
  await stranger.page.goto(`http://${slug}.${server.host}/`);
  await expect(stranger.page.getByRole('heading', { name: 'For Pia' })).toBeVisible();
  await stranger.page.goto(`${address}/full`);
  await expect(stranger.result().getByRole('heading', { name: 'For Pia' })).toBeVisible();
  await stranger.page.getByRole('link', { name: 'See the code' }).click();
  await expect(stranger.editor('index.html')).toContainText('For Pia');
  expectQuiet(server, pia, stranger);
});

test('examples run as they would on a server: pages, relative fetch, workers', async ({
  browser,
}) => {
  // The guide's pages fade into each other, and leaving in the middle would be told as an error.
  const ann = await newPerson(browser, server, { reducedMotion: 'reduce' });
  await startDraft(ann, server, 'clouds');
  await ann.result().getByRole('link', { name: 'How to look' }).click();
  await expect(ann.result().getByRole('link', { name: 'How to look' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await ann.result().getByRole('link', { name: 'Guide', exact: true }).click();
  await expect(ann.result().getByRole('heading', { name: 'What is that up there?' })).toBeVisible();

  await startDraft(ann, server, 'daylight');
  await expect(ann.result().getByRole('listitem').first()).toContainText(' h ');
  await startDraft(ann, server, 'mandelbrot');
  await expect(ann.result().getByRole('status')).toContainText('Enlarged');
  expectQuiet(server, ann);
});

test('the address without a name shows the demo running, on the portable path', async ({
  browser,
}) => {
  const ann = await newPerson(browser, server);
  await ann.page.goto(`http://127.0.0.1:${new URL(server.address).port}`);
  await expect(ann.result().locator('body')).not.toBeEmpty();
  expect(new URL(ann.page.url()).hostname).toBe('127.0.0.1');
  await takeComplaints(ann, /could not be origin-keyed/);
  expectQuiet(server, ann);
});

test('SB-02 a member’s preview holds no session, and what it sends with it is refused', async () => {
  await startDraft(pia, server, 'html');
  const body = pia.result().locator('main');
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
  await takeComplaints(pia, /CORS|Failed to load/);
  expectQuiet(server, pia);
});

test('SB-05 no frame of any screen is the app, and a preview that goes there is stopped', async () => {
  await startDraft(pia, server, 'html');
  await pia.result().locator('main').waitFor();
  const draft = new URL(pia.page.url()).pathname;
  const project = new URL(await saveDraft(pia)).pathname;
  const screens = ['/', '/new', '/work', '/settings/profile', project, `${project}/full`];
  for (const screen of screens) {
    await pia.page.goto(server.address + screen);
    if (screen.startsWith(project)) await pia.result().locator('main').waitFor();
    for (const frame of pia.page.frames()) {
      if (frame === pia.page.mainFrame()) continue;
      const flags = await (await frame.frameElement()).getAttribute('sandbox');
      expect(flags, screen).not.toBeNull();
      expect(new URL(frame.url()).origin, screen).not.toBe(server.address);
    }
  }
  await pia.page.goto(server.address + draft);
  const nested = pia.page.waitForResponse(`${server.address}/work`);
  await pia
    .result()
    .locator('main')
    .evaluate((main, address) => {
      const frame = document.createElement('iframe');
      frame.src = address;
      main.append(frame);
    }, `${server.address}/work`);
  expect((await nested).status()).toBe(403);

  await pia
    .result()
    .locator('main')
    .evaluate((_, address) => void (location.href = address), `${server.address}/work`);
  await expect(pia.page.getByRole('alert')).toContainText('outside this project');
  await pia.page.getByRole('button', { name: 'Run again' }).click();
  await expect(pia.result().locator('main')).toBeVisible();
  await takeComplaints(pia, /Content Security Policy|403|Refused|frame/i);
  expectQuiet(server, pia);
});

for (const flood of [
  { title: 'by their number', length: 1 },
  { title: 'by their size', length: 2_000 },
]) {
  test(`600 cookies of a preview, a flood ${flood.title}, cost a member no more than a click`, async ({
    browser,
  }) => {
    const name = `member-${flood.length}`;
    const quin = await newMember(browser, server, name);
    await startDraft(quin, server, 'empty');
    await rewrite(quin, 'index.html', page('<h1>Kept through the flood</h1>'));
    await expect(quin.result().getByRole('heading')).toBeVisible();
    const draft = quin.page.url();
    await quin
      .result()
      .locator('body')
      .evaluate(
        (_, { host, length }) => {
          for (let n = 0; n < 600; n++)
            document.cookie = `c${n}=${'x'.repeat(length)}; Domain=${host}; Path=/; Secure`;
        },
        { host: new URL(server.address).hostname, length: flood.length },
      );
    // The browser takes them one after the other.
    await expect
      .poll(async () => (await quin.context.cookies()).some((cookie) => cookie.name === 'c599'))
      .toBe(true);

    await quin.page.goto(`${server.address}/work`);
    if (flood.length > 1) {
      await quin.page.getByRole('link', { name: 'Go on' }).click();
      await expect(quin.page.getByRole('heading', { name: 'Your work' })).toBeVisible();
    }
    if (!(await accountButton(quin, name).isVisible())) await signIn(quin, server, { name });
    await quin.page.goto(draft);
    await expect(quin.editor('index.html')).toContainText('Kept through the flood');
    expectQuiet(server, quin);
  });
}
