import { expect, type Page } from '@playwright/test';
import {
  expectQuiet,
  makePublic,
  newSignedInUser,
  newVisitor,
  rewrite,
  saveDraft,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

/** A poster is taken some seconds after the last edit, once the page is idle. */
const patience = { timeout: 30_000 };
const posterUpload = /\/storage\/v1\/object\/posters\//;

const page = `<!doctype html><title>Moss</title>
<style>body { margin: 0; background: rgb(0, 128, 64) }</style>`;

/** Paths of the posters that a page stores from now on, in order. */
function recordUploads({ page: tab }: TestUser): string[] {
  const names: string[] = [];
  tab.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && posterUpload.test(pathname))
      names.push(pathname.replace(/^.*\/posters\//, ''));
  });
  return names;
}

const waitForUpload = ({ page: tab }: TestUser) =>
  tab.waitForResponse((response) => posterUpload.test(response.url()) && response.ok(), patience);

/** Colors in the middle of the pictures of cards. */
const readColors = (tab: Page) =>
  tab
    .getByRole('article')
    .locator('img')
    .evaluateAll((images) =>
      Promise.all(
        images.map(async (image) => {
          if (!(image instanceof HTMLImageElement)) return undefined;
          await image.decode();
          const context = new OffscreenCanvas(1, 1).getContext('2d');
          context?.drawImage(image, 640, 400, 1, 1, 0, 0, 1, 1);
          const { data = [] } = context?.getImageData(0, 0, 1, 1) ?? {};
          return {
            size: [image.naturalWidth, image.naturalHeight],
            // WebP changes colors a little.
            color: [...data].map((value) => Math.round(value / 16) * 16).join(),
          };
        }),
      ),
    );

const green = { size: [1280, 800], color: '0,128,64,256' };

test('AS-20: a saved project has a picture of its result, which only those who may open it see', async ({
  browser,
  server,
}) => {
  const fern = await newSignedInUser(browser, server, uniqueName('fern'));
  await startDraft(fern, server, 'html');
  await rewrite(fern, 'index.html', page);
  const uploaded = waitForUpload(fern);
  const address = await saveDraft(fern);
  const name = new URL((await uploaded).url()).pathname.replace(/^.*\/posters\//, '');

  await fern.page.goto(`${server.address}/work`);
  await expect.poll(() => readColors(fern.page)).toEqual([green]);
  const image = fern.page.getByRole('article').locator('img');
  await expect(image).toHaveAttribute('alt', '');
  await expect(image).toHaveAttribute('loading', 'lazy');

  const stranger = await newSignedInUser(browser, server, uniqueName('moth'));
  const visitor = await newVisitor(browser, server);
  await stranger.page.goto(server.address);
  await visitor.page.goto(server.address);
  const statuses = async () => {
    const found: (number | undefined)[] = [];
    for (const { page: tab } of [fern, stranger, visitor])
      found.push(await tab.evaluate(async (url) => (await fetch(url)).status, `/posters/${name}`));
    return found;
  };
  expect(await statuses()).toEqual([200, 404, 404]);
  await fern.page.goto(address);
  await makePublic(fern);
  expect(await statuses()).toEqual([200, 200, 200]);
  expectQuiet(server, fern);
});

test('AS-23: a preview that answers with anything but a picture, or not at all, changes nothing', async ({
  browser,
  server,
}) => {
  const fern = await newSignedInUser(browser, server, uniqueName('fern'));
  const uploads = recordUploads(fern);
  await startDraft(fern, server, 'html');
  // Takes the place of the tool in the page, as user code can.
  const hostile = `<!doctype html><title>Trap</title><body>
<script>
addEventListener('vitrine-tool', (event) => {
  const { name, isOurs } = event.detail;
  if (name !== 'screenshot' || isOurs) return;
  event.stopImmediatePropagation();
  const start = ({ connection }) => () => {
    document.body.dataset.asked = 'yes';
    const header = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 73, 72, 68, 82];
    const huge = new Uint8Array([...header, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 8, 6]).buffer;
    for (const png of [1, 'x', null, {}, new ArrayBuffer(0), new ArrayBuffer(99), huge])
      connection.send({ type: 'screenshot', purpose: 'poster', png, undrawn: [] });
  };
  dispatchEvent(new CustomEvent('vitrine-tool', { detail: { name, isOurs: true, start } }));
}, true);
</script>`;
  await rewrite(fern, 'index.html', hostile);
  await saveDraft(fern);
  await expect(fern.preview().locator('body[data-asked]')).toBeAttached(patience);
  await rewrite(fern, 'index.html', hostile.replace('<body>', '<body><h1>Still here</h1>'));
  await expect(fern.preview().getByRole('heading', { name: 'Still here' })).toBeVisible();
  await expect(fern.saveState()).toHaveText('Saved');
  expect(uploads).toEqual([]);
  await fern.page.goto(`${server.address}/work`);
  await expect(fern.page.getByRole('article')).toContainText('Untitled project');
  expect(await readColors(fern.page)).toEqual([]);
  expectQuiet(server, fern);
});

test('a published project has the picture of its published version', async ({
  browser,
  server,
}) => {
  // After the picture of the working copy, the next one may take a minute.
  test.slow();
  const fern = await newSignedInUser(browser, server, uniqueName('fern'));
  const uploads = recordUploads(fern);
  await startDraft(fern, server, 'html');
  await rewrite(fern, 'index.html', page);
  await saveDraft(fern);
  await fern.page.getByRole('button', { name: 'Share' }).click();
  const dialog = fern.page.getByRole('dialog', { name: 'Share' });
  await dialog.getByRole('button', { name: 'Publish version' }).click();
  await expect.poll(() => uploads.at(-1) ?? '', { timeout: 90_000 }).toMatch(/[/]1$/);
  await fern.page.goto(`${server.address}/work`);
  await expect.poll(() => readColors(fern.page)).toEqual([green]);
  expectQuiet(server, fern);
});
