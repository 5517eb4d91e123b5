import { readdirSync, readFileSync } from 'node:fs';
import { expect as impatient, type FrameLocator } from '@playwright/test';
import { newVisitor, rewrite, startDraft, test, type TestUser } from './rig/test-user.ts';
import { errorCatalog } from '@vitrine/project';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

/** Packages that were never requested are built first. */
const expect = impatient.configure({ timeout: 30_000 });

/** A server whose registry is unreachable, like every other host (see playwright.config.ts). */
let server: TestServer;

test.beforeAll(({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
});

const folders = readdirSync(new URL('../examples/', import.meta.url), { withFileTypes: true });
const projects = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
/** `npm run endure -- walk` covers all of them. */
const chosen = projects.filter((_, at) => process.env['WALK'] === 'whole' || at % 36 === 0);

/** Whether the instance doesn't carry a package of this template. */
const needsRegistry = (name: string) =>
  /"needsRegistry": true/.test(
    readFileSync(new URL(`../examples/${name}/example.json`, import.meta.url), 'utf8'),
  );

/** With the srcdoc transport, a new page overlays the old one. */
const newestResult = ({ page }: TestUser): FrameLocator =>
  page.frameLocator('iframe[title="Result"]').last();

/** Adds a paragraph at the end of the page, and waits until it is shown. */
async function write(person: TestUser, path: string, words: string): Promise<void> {
  await person.editor(path).press('ControlOrMeta+End');
  await person.page.keyboard.insertText(`\n\n<p>${words}</p>`);
  await expect(newestResult(person).getByText(words)).toBeVisible();
}

/** Waits until the page has made no request for half a second. */
async function untilAllHasCome({ page }: TestUser): Promise<void> {
  let before = 0;
  const isDone = async () => {
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').length);
    const isSame = asked === before;
    before = asked;
    return isSame;
  };
  await expect.poll(isDone, { intervals: [500] }).toBe(true);
}

for (const name of chosen.filter((each) => !needsRegistry(each)))
  test(
    `${name} opens with no host but ours, and goes on without a network`,
    { tag: '@long' },
    async ({ browser }) => {
      const ann = await newVisitor(browser, server);
      await startDraft(ann, server, name);
      await ann.page.getByRole('button', { name: 'Files', exact: true }).click();
      const page = ann.page.getByRole('treeitem', { name: /^index\.(?:html|md)$/ });
      const path = (await page.getAttribute('aria-label')) ?? '';
      await page.click();
      await write(ann, path, 'Written with a network');
      await untilAllHasCome(ann);

      await ann.context.setOffline(true);
      await write(ann, path, 'Written without one');
      await ann.page.getByRole('button', { name: 'Reload result' }).click();
      await expect(newestResult(ann).getByText('Written without one')).toBeVisible();
      await expect(ann.page.getByRole('alert')).toHaveCount(0);
      await ann.context.setOffline(false);
      // Warnings of the browser about 3D without a GPU, a view transition that was
      // skipped, and unreachable URLs; and of Lit.
      const known = /GPU|GL Driver|ViewTransition|ERR_INTERNET_DISCONNECTED|Lit is in dev mode/;
      expect(ann.complaints.filter((line) => !known.test(line))).toEqual([]);
    },
  );

for (const name of chosen.filter(needsRegistry))
  test(
    `${name} opens without its packages, and says why they’re missing`,
    { tag: '@long' },
    async ({ browser }) => {
      const ann = await newVisitor(browser, server);
      await startDraft(ann, server, name);
      await expect(ann.page.getByRole('alert')).toContainText(
        errorCatalog.registry_unreachable.message,
      );
    },
  );

test('offline, an error is still explained at its line', async ({ browser }) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await write(ann, 'index.html', 'Written with a network');
  await untilAllHasCome(ann);
  await ann.context.setOffline(true);
  await rewrite(ann, 'script.js', 'const counter = 1;\nconsole.log(conuter);');
  const card = ann.page.getByRole('alert');
  await expect(card).toContainText('“conuter” is not defined. Did you mean “counter”?');
  await card.getByRole('button', { name: 'Change to counter' }).click();
  await expect(card).toHaveCount(0);
});
