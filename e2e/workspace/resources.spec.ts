import { expect, type Locator } from '@playwright/test';
import { newVisitor, rewrite, startDraft, test, type TestUser } from '../rig/test-user.ts';

async function openResources({ page }: TestUser): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('external resources');
  await page.getByRole('option', { name: 'Show external resources' }).click();
  await expect(page.getByRole('region', { name: 'External resources' })).toBeVisible();
}

async function add(panel: Locator, input: string): Promise<void> {
  await panel.getByRole('textbox', { name: 'Add script or stylesheet' }).fill(input);
  await panel.getByRole('textbox', { name: 'Add script or stylesheet' }).press('Enter');
}

const names = (panel: Locator) =>
  panel.getByRole('listitem').evaluateAll((items) => items.map((item) => item.ariaLabel));

const first = 'https://a.example.org/first.js';
const second = 'https://a.example.org/second.js';
const sheet = 'https://a.example.org/sheet.css';

test('External resources lists, adds, reorders, changes and removes what the page loads', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await openResources(ann);
  const panel = page.getByRole('region', { name: 'External resources' });
  await expect(panel.getByRole('textbox', { name: 'Add script or stylesheet' })).toBeFocused();
  await expect(panel).toContainText('index.html doesn’t load anything from other hosts.');
  const editor = ann.editor('index.html');
  await page.getByRole('tab', { name: 'index.html', exact: true }).click();

  await add(panel, 'three');
  await expect(panel.getByRole('alert')).toContainText('That isn’t the URL of a script');
  await add(panel, first);
  await expect(panel.getByRole('alert')).toHaveCount(0);
  await expect(editor).toContainText(`<script src="${first}"></script>`);
  await add(panel, first);
  await expect(panel.getByRole('alert')).toHaveText(/This page already loads that URL/);
  await add(panel, second);
  await add(panel, `<link rel="stylesheet" href="${sheet}" media="print">`);
  await expect.poll(() => names(panel)).toEqual([sheet, first, second]);
  await expect(editor).toContainText(`href="${sheet}" media="print"`);

  await panel.getByRole('button', { name: 'Move second.js up' }).press('Enter');
  await expect.poll(() => names(panel)).toEqual([sheet, second, first]);
  await expect(panel.getByRole('button', { name: 'Move second.js up' })).toBeDisabled();
  const loading = panel.getByRole('combobox', { name: 'How second.js loads' });
  await loading.click();
  await page.getByRole('option', { name: 'Module' }).click();
  await expect(editor).toContainText(`<script type="module" src="${second}"></script>`);

  await test.step('undo and redo in the editor apply to what the panel did', async () => {
    await editor.press('ControlOrMeta+z');
    await expect(loading).toHaveText('Script');
    await editor.press('ControlOrMeta+Shift+Z');
    await expect(loading).toHaveText('Module');
    await editor.press('ControlOrMeta+z');
    await expect(loading).toHaveText('Script');
  });

  await panel.getByRole('button', { name: 'Remove first.js' }).click();
  await expect.poll(() => names(panel)).toEqual([sheet, second]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => names(panel)).toEqual([sheet, second, first]);
});

test('a script of a CDN becomes a package, and the page needs no other host', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server);
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await rewrite(ann, 'script.js', `document.body.append('three ' + typeof THREE.Vector3)`);
  await rewrite(
    ann,
    'index.html',
    `<!doctype html><title>Page</title>
<script src="https://unpkg.com/three@0.187.0/build/three.min.js"></script>
<body><script src="script.js"></script></body>`,
  );
  await openResources(ann);
  const panel = page.getByRole('region', { name: 'External resources' });
  await panel.getByRole('button', { name: 'Use package instead' }).click();
  await expect(panel).toContainText('index.html doesn’t load anything from other hosts.');
  await expect(ann.preview().getByText('three function')).toBeVisible();
  await expect(ann.editor('index.html')).toContainText(
    '<script type="module" src="script.js"></script>',
  );
  await page.getByRole('tab', { name: 'script.js', exact: true }).click();
  await expect(ann.editor('script.js')).toContainText("import * as THREE from 'three';");
});

test('on a phone and in the dark the panel fits, and a Markdown project says what to add', async ({
  browser,
  server,
}) => {
  const ann = await newVisitor(browser, server, {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
  });
  const { page } = ann;
  await startDraft(ann, server, 'html');
  await openResources(ann);
  const panel = page.getByRole('region', { name: 'External resources' });
  await add(panel, 'https://cdn.jsdelivr.net/npm/bootstrap@5.3.3/dist/css/bootstrap.min.css');
  await expect(panel.getByRole('button', { name: 'Use package instead' })).toBeVisible();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await startDraft(ann, server, 'markdown');
  await openResources(ann);
  await expect(panel).toContainText(
    'Markdown pages don’t have their own <head>. Add an index.html',
  );
});
