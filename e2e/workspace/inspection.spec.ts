import { expect, type Locator } from '@playwright/test';
import {
  expectQuiet,
  newVisitor,
  rewrite,
  startDraft,
  expectComplaints,
  test,
} from '../rig/test-user.ts';

const page = (body: string) => `<!doctype html>
<html lang="en"><head><title>Page</title><link rel="stylesheet" href="style.css"></head>
<body><main>
${body}
</main><script type="module" src="script.js"></script></body></html>`;

test('the URL field navigates, goes back and reloads, at the size of a phone', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', '');
  await rewrite(ann, 'index.html', page('<h1>Home</h1><a href="?x=1#top">On</a>'));
  await expect(ann.preview().getByRole('heading', { name: 'Home' })).toBeVisible();
  const address = ann.page.getByRole('textbox', { name: 'Address' });
  await expect(address).toHaveValue('/');
  await ann.preview().getByRole('link', { name: 'On' }).click();
  await expect(address).toHaveValue('/?x=1#top');
  await ann.page.getByRole('button', { name: 'Back', exact: true }).click();
  await expect(address).toHaveValue('/');

  await address.fill('https://example.com/');
  await address.press('Enter');
  await expect(ann.page.getByText('Only pages in this project')).toBeVisible();
  await address.fill('none.html');
  await address.press('Enter');
  await expect(ann.preview().getByText('Can’t find /none.html')).toBeVisible();
  await expect(address).toHaveValue('/none.html');
  await address.fill('/index.html');
  await address.press('Enter');
  await expect(ann.preview().getByRole('heading', { name: 'Home' })).toBeVisible();

  await ann.page.getByRole('button', { name: 'Device size' }).click();
  await ann.page.getByRole('menuitemradio', { name: 'Phone, 390 × 844', exact: true }).click();
  await ann.page.keyboard.press('Escape');
  await expect(ann.page.getByText(/^390 × 844/)).toBeVisible();
  const width = () =>
    ann
      .preview()
      .locator('body')
      .evaluate(() => innerWidth);
  expect(await width()).toBe(390);
  await ann.page.getByRole('separator', { name: 'Resize result width' }).press('ArrowRight');
  expect(await width()).toBe(400);
  await ann.page.getByRole('button', { name: 'Device size' }).click();
  await ann.page.getByRole('menuitemradio', { name: '200%' }).click();
  await ann.page.keyboard.press('Escape');
  await expect(ann.page.getByText('400 × 844 at 200%')).toBeVisible();
  const leftOf = async (target: Locator) => (await target.boundingBox())?.x ?? NaN;
  // A viewport wider than its space can be scrolled to its start.
  expect(await leftOf(ann.page.locator('iframe[title="Result"]').last())).toBeGreaterThan(
    await leftOf(ann.page.getByRole('separator', { name: 'Resize editor' })),
  );
  await ann.page.getByRole('button', { name: 'Reload result' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'Home' })).toBeVisible();
  await expect(address).toHaveValue('/index.html');
  await expectComplaints(ann, /404/);
  expectQuiet(server, ann);
});

test('a screenshot of the preview is saved, and dark mode is emulated', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await rewrite(
    ann,
    'style.css',
    '@media (prefers-color-scheme: dark) { h1 { color: rgb(1, 2, 3) } }',
  );
  const heading = ann.preview().getByRole('heading');
  await expect(heading).toHaveCSS('color', 'rgb(0, 0, 0)');
  const options = ann.page.getByRole('button', { name: 'Result options' });
  await options.click();
  await ann.page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(heading).toHaveCSS('color', 'rgb(1, 2, 3)');
  const download = ann.page.waitForEvent('download');
  await ann.page.getByRole('menuitem', { name: 'Save screenshot' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.png$/);
  expectQuiet(server, ann);
});

test('requests are listed in the network tab, and can be made to fail', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  await startDraft(ann, server, 'html');
  await ann.page.getByRole('tab', { name: 'Network' }).click();
  const requests = ann.page.getByRole('list', { name: 'Requests' });
  await expect(requests.getByRole('button', { name: /style\.css.*Style/ })).toBeVisible();
  await rewrite(
    ann,
    'script.js',
    "\nconst answer = await fetch('style.css?read', { headers: { 'X-Mine': 'yes' } });\ndocument.title = answer.status;\ndocument.querySelector('h1').textContent = 'status ' + answer.status;",
  );
  await expect(ann.preview().getByRole('heading', { name: 'status 200' })).toBeVisible();
  const read = requests.getByRole('button', { name: /style\.css\?read.*Fetch/ });
  await read.click();
  const request = ann.page.getByRole('region', { name: 'Request' });
  await expect(request).toContainText('x-mine');
  await requests.getByRole('button', { expanded: true }).press('Escape');
  await expect(request).toBeHidden();
  await read.press('Enter');
  await request.getByRole('button', { name: 'Close request' }).press('Enter');
  await expect(request).toBeHidden();
  await expect(read).toBeFocused();
  await read.press('Enter');
  const shown = ann.page.getByRole('group', { name: 'Show' });
  await shown.getByRole('button', { name: 'Images' }).click();
  await expect(request).toBeHidden();
  await shown.getByRole('button', { name: 'All' }).click();
  await request.getByRole('button', { name: 'script.js:2' }).click();
  await expect(ann.editor('script.js')).toBeFocused();

  await ann.page.getByRole('button', { name: 'Network rules' }).click();
  await ann.page.getByRole('textbox', { name: 'Path or URL' }).fill('style.*');
  await ann.page.getByRole('combobox', { name: 'Effect' }).click();
  await ann.page.getByRole('option', { name: 'Respond with' }).click();
  await ann.page.getByRole('spinbutton', { name: 'Status' }).fill('503');
  await ann.page.getByRole('button', { name: 'Add rule' }).click();
  await expect(ann.page.getByRole('button', { name: '1 network rule is on' })).toBeVisible();
  await ann.page.getByRole('button', { name: 'Reload result' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'status 503' })).toBeVisible();
  await ann.page.getByRole('button', { name: 'Edit /style.*: respond with 503' }).click();
  await ann.page.getByRole('spinbutton', { name: 'Status' }).fill('418');
  await ann.page.getByRole('button', { name: 'Save rule' }).click();
  await expect(ann.page.getByRole('textbox', { name: 'Path or URL' })).toBeFocused();
  await ann.page.getByRole('button', { name: 'Reload result' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'status 418' })).toBeVisible();
  await ann.page.getByRole('textbox', { name: 'Path or URL' }).fill('other');
  await ann.page.getByRole('button', { name: 'Add rule' }).click();
  await ann.page.getByRole('button', { name: /^Delete .*other/ }).press('Enter');
  await expect(ann.page.getByRole('textbox', { name: 'Path or URL' })).toBeFocused();
  await ann.page.getByRole('button', { name: 'Delete all rules' }).click();
  await ann.page.getByRole('button', { name: 'Reload result' }).click();
  await expect(ann.preview().getByRole('heading', { name: 'status 200' })).toBeVisible();
  await expectComplaints(ann, /503/, /418/);
  expectQuiet(server, ann);
});

test(
  'an accessibility issue leads to its line, and disappears once fixed',
  { tag: '@long' },
  async ({ browser, server }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'html');
    await rewrite(ann, 'script.js', '');
    await rewrite(ann, 'index.html', page('<h1>Cats</h1>\n<img id="cat" src="data:,">'));
    await ann.page.getByRole('tab', { name: 'script.js' }).click();
    await ann.page.getByRole('tab', { name: 'Accessibility' }).click();
    const group = ann.page.getByRole('region', { name: 'Critical' });
    await expect(group).toContainText('Image has no alt text.');
    await expect(ann.page.getByRole('tab', { name: 'Accessibility' })).toHaveAccessibleDescription(
      '1 issue',
    );
    await group.getByRole('button', { name: /index\.html:5/ }).click();
    await expect(ann.editor('index.html')).toBeFocused();
    await rewrite(
      ann,
      'index.html',
      page('<h1>Cats</h1>\n<img id="cat" src="data:," alt="A cat">'),
    );
    await expect(ann.page.getByText(/^No issues found \(\d+ checks\)\./)).toBeVisible();
    expectQuiet(server, ann);
  },
);
