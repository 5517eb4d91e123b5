import { expect as impatient, type Page } from '@playwright/test';
import { startServer } from '@vitrine/testing/server';
import {
  importLazily,
  lazyImports,
  lazyScripts,
  scriptName,
  workerScripts,
} from '../rig/lazy-scripts.ts';
import {
  expectComplaints,
  newSignedInDevice,
  newSignedInUser,
  newVisitor,
  retype,
  rewrite,
  saveDraft,
  startDraft,
  test,
} from '../rig/test-user.ts';

const expect = impatient.configure({ timeout: 20_000 });

/** Refuses the first request of each of these files. Returns how often each was requested. */
async function refuseOnce(page: Page, names: readonly string[]): Promise<Map<string, number>> {
  const requests = new Map<string, number>();
  await page.context().route(/\/assets\/[^/]+\.js$/, async (route) => {
    const name = scriptName(route.request().url());
    if (name === undefined || !names.includes(name)) return route.continue();
    const count = (requests.get(name) ?? 0) + 1;
    requests.set(name, count);
    await (count === 1 ? route.abort('connectionrefused') : route.continue());
  });
  return requests;
}

test('every script that loads later is loaded again after a refused request', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await ann.page.goto(`${server.address}/auth/sign-in`);
  await ann.page.waitForLoadState('networkidle');
  expect(lazyScripts.length).toBeGreaterThan(80);
  const requests = await refuseOnce(ann.page, lazyScripts);
  const failures = await ann.page.evaluate(importLazily, lazyImports);
  expect(failures).toEqual([]);
  expect([...requests].filter(([, count]) => count < 2)).toEqual([]);
  await expectComplaints(ann, /ERR_CONNECTION_REFUSED/);
});

test('every worker starts again after its script was refused', async ({ browser, server }) => {
  // Five workers start, each twice.
  test.slow();
  const ann = await newVisitor(browser, server);
  const requests = await refuseOnce(ann.page, workerScripts);
  await startDraft(ann, server, 'typescript');
  const { page } = ann;
  await expect(ann.preview().getByRole('button', { name: 'Count' })).toHaveText('Count: 0');
  await page.getByRole('tab', { name: 'Problems' }).click();
  const problems = page.getByRole('list', { name: 'Problems' });
  await rewrite(
    ann,
    'script.ts',
    'let  count: number = "many";\nlet other = 1;\nconsole.log(count, other);\n',
  );
  await expect(problems).toContainText('not assignable');
  // The linter is loaded last.
  await expect(problems).toContainText('prefer-const', { timeout: 40_000 });
  await rewrite(ann, 'style.css', 'h1 { color: red }');
  await page.keyboard.press('Shift+Alt+F');
  await expect(page.getByRole('alert')).toContainText('Can’t reach the server');
  await expect
    .poll(async () => {
      await page.keyboard.press('Shift+Alt+F');
      return ann.editor('style.css').textContent();
    })
    .toContain('h1 {  color: red;}');
  // Completed by the worker for markup and styles.
  await rewrite(ann, 'style.css', 'h1 { color: red; text-decoration-s }');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect
    .poll(async () => {
      await page.keyboard.press('ControlOrMeta+Space');
      return page.getByRole('option', { name: 'text-decoration-style', exact: true }).isVisible();
    })
    .toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+Shift+F');
  await page.getByRole('checkbox', { name: 'Regular expression' }).check();
  await page.getByRole('searchbox', { name: 'Search in files' }).fill('cou.t: number');
  await expect(page.getByRole('status').filter({ hasText: '1 match in 1 file' })).toBeVisible();
  expect([...requests.keys()].toSorted()).toEqual(workerScripts.toSorted());
  expect([...requests].filter(([, count]) => count < 2)).toEqual([]);
});

test('a page whose server went away in its first second gets everything once it’s back', async ({
  browser,
}) => {
  // Two servers are started.
  test.slow();
  const first = await startServer();
  const dataDir = first.dataDir;
  const port = Number(new URL(first.address).port);
  const ada = await newSignedInUser(browser, first, 'ada');
  await startDraft(ada, first, 'html');
  await retype(ada, 'index.html', '<p>one</p>');
  const address = await saveDraft(ada);
  const away = await newSignedInDevice(browser, first, 'ada');
  // The page’s own scripts load, and the server ends before the first that it loads later.
  const isGone = Promise.withResolvers<void>();
  await away.page.route(/\/assets\/(?:connect-to-project|browser-client)-/, async (route) => {
    if (first.process.exitCode === null && first.process.signalCode === null) {
      first.process.kill('SIGKILL');
      isGone.resolve();
    }
    await route.continue();
  });
  await away.page.goto(address);
  await isGone.promise;
  const connection = away.page.getByRole('status', { name: 'Connection' });
  await expect(connection).toHaveText('Reconnecting…');
  const server = await startServer({ dataDir, port });
  await ada.page.goto(address);
  await retype(ada, 'index.html', '<p>two</p>');
  await expect(ada.saveState()).toHaveText('Saved');
  await expect(away.editor('index.html')).toHaveText('<p>two</p>');
  await expect(connection).toHaveText('');
  await expect(away.saveState()).toHaveText('Saved');
  await server.remove();
});

test('a page whose own scripts were refused says so, and reloads with what was typed', async ({
  browser,
  server,
}) => {
  const ivy = await newSignedInUser(browser, server, 'ivy');
  await startDraft(ivy, server, 'html');
  await retype(ivy, 'index.html', '<p>one</p>');
  const address = await saveDraft(ivy);
  const { page } = ivy;
  let isBack = false;
  await page.route(/\/assets\/entry\.client-/, async (route) => {
    await (isBack ? route.continue() : route.abort('connectionrefused'));
  });
  await page.route('**/healthz', async (route) => {
    await (isBack ? route.continue() : route.abort('connectionrefused'));
  });
  await page.goto(address);
  await page.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('two');
  await expect(page.locator('html')).toHaveAttribute('data-scripts', 'missing');
  await expect(ivy.saveState()).toBeHidden();
  isBack = true;
  await expect(ivy.saveState()).toHaveText('Saved');
  await expect(ivy.editor('index.html')).toHaveText('<p>one</p>two');
  await expectComplaints(ivy, /ERR_CONNECTION_REFUSED/, /dynamically imported module/);
  await page.goto(`${server.address}/work`);
  await page.goto(address);
  await expect(ivy.editor('index.html')).toHaveText('<p>one</p>two');
});

test('a page whose scripts are missing from a server that answers stops reloading', async ({
  browser,
  server,
}) => {
  const { page } = await newVisitor(browser, server);
  await page.route(/\/assets\/entry\.client-/, (route) => route.abort('connectionrefused'));
  await page.goto(server.address);
  await expect(page.locator('html')).toHaveAttribute('data-scripts', 'missing');
  // As after five reloads, which take half a minute.
  await page.evaluate(() => sessionStorage.setItem('vitrine-reloads', '5'));
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-scripts', 'failed');
  const message = await page.evaluate(() => getComputedStyle(document.body, '::after').content);
  expect(message).toContain('Try reloading in a few minutes.');
});

test('a result that takes longer than 300 ms shows a skeleton until it has painted', async ({
  browser,
  server,
}) => {
  const ivy = await newSignedInUser(browser, server, 'ivy-waits');
  await startDraft(ivy, server, 'html');
  const address = await saveDraft(ivy);
  const { page } = ivy;
  const released = Promise.withResolvers<void>();
  const isPreview = ({ host }: URL) => host !== server.host;
  await page.route(isPreview, async (route) => {
    await released.promise;
    await route.continue();
  });
  await page.goto(address);
  const skeleton = page.getByRole('status', { name: 'Loading the result' });
  await expect(skeleton).toHaveCSS('opacity', '1');
  released.resolve();
  await expect(ivy.preview().getByRole('heading')).toBeVisible();
  await expect(skeleton).toHaveCount(0);
});
