import { readdirSync } from 'node:fs';
import { expect as impatient, type FrameLocator } from '@playwright/test';
import { newPerson, rewrite, startDraft, test, type Person } from './person.ts';
import { fromNow, type TestServer } from './server.ts';

/** What nobody has asked for before is built first. */
const expect = impatient.configure({ timeout: 30_000 });

/** Its registry does not answer, and neither does any host but ours: playwright.config.ts. */
let server: TestServer;

test.beforeAll(({ sharedServer }) => {
  server = fromNow(sharedServer);
});

const folders = readdirSync(new URL('../examples/', import.meta.url), { withFileTypes: true });
const projects = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
/** `npm run endure -- walk` goes through all of them. */
const chosen = projects.filter((_, at) => process.env['WALK'] === 'whole' || at % 36 === 0);

/** On the portable path a new page lies over the one that still shows. */
const newestResult = ({ page }: Person): FrameLocator =>
  page.frameLocator('iframe[title="Result"]').last();

/** Writes a paragraph at the end of the page, and waits until it is shown. */
async function write(person: Person, path: string, words: string): Promise<void> {
  await person.editor(path).press('ControlOrMeta+End');
  await person.page.keyboard.insertText(`\n\n<p>${words}</p>`);
  await expect(newestResult(person).getByText(words)).toBeVisible();
}

/** Waits until the page has made no request for half a second. */
async function untilAllHasCome({ page }: Person): Promise<void> {
  let before = 0;
  const isDone = async () => {
    const asked = await page.evaluate(() => performance.getEntriesByType('resource').length);
    const isSame = asked === before;
    before = asked;
    return isSame;
  };
  await expect.poll(isDone, { intervals: [500] }).toBe(true);
}

for (const name of chosen)
  test(
    `${name} opens with no host but ours, and goes on without a network`,
    { tag: '@long' },
    async ({ browser }) => {
      const ann = await newPerson(browser, server);
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
      // Words of the browser about 3D without a graphics card, a fade between pages that it gave
      // up, and what it cannot reach; and of Lit's own.
      const known = /GPU|GL Driver|ViewTransition|ERR_INTERNET_DISCONNECTED|Lit is in dev mode/;
      expect(ann.complaints.filter((line) => !known.test(line))).toEqual([]);
    },
  );

test('without a network an error is still explained at its line', async ({ browser }) => {
  const ann = await newPerson(browser, server);
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
