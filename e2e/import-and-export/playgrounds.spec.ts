import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { makeZip } from '@vitrine/testing/zip-archive';
import { withOtherSite } from '../rig/other-site.ts';
import { createPng } from '../rig/png.ts';
import { findViolations } from '../rig/axe.ts';
import {
  dropFromDesktop,
  expectQuiet,
  newSignedInUser,
  newVisitor,
  startDraft,
  test,
  uniqueName,
  type TestUser,
} from '../rig/test-user.ts';

let ann: TestUser;
let page: Page;
let desktop: string;

test.beforeEach(async ({ browser, server }) => {
  ann = await newVisitor(browser, server);
  page = ann.page;
  desktop = await mkdtemp(join(tmpdir(), 'vitrine-desktop-'));
});
test.afterEach(() => rm(desktop, { recursive: true }));

const dialog = (name: string, on = page) => on.getByRole('dialog', { name, exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function dropZip(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  const path = join(desktop, 'project.zip');
  const entries = Object.entries(files).map(([name, content]) => ({
    name,
    content,
    isUtf8: true,
  }));
  await writeFile(path, makeZip(entries));
  await dropFromDesktop(page, page.locator('h1'), [path]);
}

/** Sends a form from the page of another site, in its tab. */
async function post(
  from: Page,
  action: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  await from.evaluate(
    ({ to, values }) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action: to });
      for (const [name, value] of Object.entries(values))
        form.append(Object.assign(document.createElement('textarea'), { name, value }));
      document.body.append(form);
      form.submit();
    },
    { to: action, values: fields },
  );
}

test('a link of the Vue playground is pasted and runs', async ({ server }) => {
  const files = {
    'App.vue':
      '<script setup>\nimport Bird from "./Bird.vue";\n</script>\n<template><Bird name="Ärmel" /></template>\n',
    'Bird.vue':
      '<script setup>\ndefineProps({ name: String });\n</script>\n<template><h1>{{ name }} flies</h1></template>\n',
  };
  const hash = deflateSync(JSON.stringify(files), { level: 9 }).toString('base64');
  await page.goto(`${server.address}/new`);
  await button('Import').click();
  const field = page.getByRole('textbox', { name: 'Paste code or a link' });
  await field.fill(`https://play.vuejs.org/#${hash}`);
  await button('Open').click();
  const summary = dialog('Import from a link');
  await expect(summary).toContainText('From play.vuejs.org. 6 files');
  await expect(summary.getByRole('region', { name: 'Files to import' })).toContainText(
    'src/App.vue',
  );
  await summary.getByText('src/Bird.vue').click();
  await expect(summary).toContainText('defineProps({ name: String });');
  expect(await findViolations(page, { within: '[role=dialog]' })).toEqual([]);
  await button('Open').click();
  const heading = ann.preview().getByRole('heading', { name: 'Ärmel flies' });
  await expect(heading).toBeVisible({ timeout: 30_000 });
  expectQuiet(server, ann);
});

/** Made with lz-string, as each site does. */
const typeScript =
  'MYewdgzgLgBGCGBbAphAXDaAnAlmA5gNoC6MAvDIQEQAjWKANlcQNwBQAJiMAK4phQAdACMQHAJ6C8YZFgASAFQCyAGXIwABgB4AFgEYAfABIA3ghQRCABmIBfGFHEAHVFoD0+gxvZA';
const liveCodes =
  'N4IgLglmA2CmIC4QGECGAnAJgZxAGhAFsMBrAVwAdFRpUA7AczNQfiQAsxDp8QBjAPZ0wsYYhAAeCgD40WbBID0MkAF8C2MAE841ELUbNW47H2y4Cg4aLDj2ARgAEwRwCNnjwdAHoEj9AyuABT2eI4ATGEAzACUjqrxahp86BAUtgg09EwsbCDosKh8tpZCImJIEIQUPmAeZNiwAMpgqCLxjgBm6AKEjgA6+YXFgwDc-XSwAB416HWYsJ2oZNB1nWR0xRBCjgCCFBRBccATjp5Cmo4A2nSohLAAuo4AvI4Nza0iQYMASsNggxi4zoZwKYDI6BBEgc0mAt3uCQkrmk0AgADdYApFMilDDgaoJmpVEA';
const codeSandbox =
  'N4IgZglgNgpgziAXKOAnAxgeggOwCYwAeAdAFYLIjoD2OALjPUiBALYAO1qdABADohimAIbF0cOAIDcfHG07ceAdy544PMKmqt-gzCtRqycWtNl5q6AK6tGdYgHMYdAKKxb9AEIBPAJJ4ACgEtajoBAEpiXBwYVAAJABUAWQAZHgBeHgADAB4ACwBGAD4AEmADNQBtAAYAXQBfHgAjakJ4HMxCoqyZHBB6gBoQNCxRcQpQGno7ZkKeYB4aKC5EHlQHJoCCgZ4AJh2AZnCeev6hkf1VOGNaJEnaBiZESpAAZWF8EAb6-qA';

test('links of other playgrounds run', async ({ server }) => {
  const svelte = {
    name: 'Robins',
    files: [
      {
        type: 'file',
        name: 'App.svelte',
        contents: '<script>\n\tlet n = $state(2);\n</script>\n<h1>{n} robins</h1>\n',
        text: true,
      },
    ],
  };
  const svelteHash = gzipSync(JSON.stringify(svelte)).toString('base64url');
  for (const [link, heading] of [
    [`https://svelte.dev/playground/untitled#${svelteHash}`, '2 robins'],
    [`https://www.typescriptlang.org/play/?target=99#code/${typeScript}`, 'Ärmel types'],
    [`https://livecodes.io/?x=code/${liveCodes}`, 'React lives'],
    [`https://codesandbox.io/api/v1/sandboxes/define?parameters=${codeSandbox}`, 'Sand boxes'],
  ] as const) {
    await page.goto(`${server.address}/new`);
    await button('Import').click();
    await page.getByRole('textbox', { name: 'Paste code or a link' }).fill(link);
    await button('Open').click();
    await expect(dialog('Import from a link')).toContainText(`From ${new URL(link).host}`);
    await button('Open').click();
    await expect(ann.preview().getByRole('heading', { name: heading })).toBeVisible({
      timeout: 30_000,
    });
  }
  expectQuiet(server, ann);
});

test('a damaged link is rejected with the reason', async ({ server }) => {
  await page.goto(`${server.address}/new`);
  for (const link of [
    'https://play.vuejs.org/#eNq*',
    'https://livecodes.io/?x=code/N4Ig',
    `${server.address}/new#code=1.AAAA`,
  ]) {
    await button('Import').click();
    await page.getByRole('textbox', { name: 'Paste code or a link' }).fill(link);
    await button('Open').click();
    await expect(page.getByRole('alert')).toContainText('This link is damaged or incomplete.');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
});

test('a pen’s zip is dropped and runs', async ({ server }) => {
  await page.goto(`${server.address}/new`);
  await dropZip({
    'birds/src/index.html': '<h1>Birds</h1>',
    'birds/src/style.scss': '$tone: rgb(1, 2, 3);\nh1 { b { color: $tone } }',
    'birds/src/script.babel':
      'const Bird = ({ name }) => <b>{name} fly</b>;\nReactDOM.render(<Bird name="Robins" />, document.querySelector("h1"));',
    'birds/dist/index.html': `<!DOCTYPE html>
<html lang="en">
<head><title>CodePen - Birds</title><link rel="stylesheet" href="./style.css"></head>
<body>
<!-- partial:index.partial.html -->
<h1>Birds</h1>
<!-- partial -->
<script>
window.React = { createElement: (type, props, ...children) => typeof type === 'function' ? type(props) : Object.assign(document.createElement(type), { textContent: children.join('') }) };
window.ReactDOM = { render: (element, parent) => parent.append(element) };
</script>
<script  src="./script.js"></script>
</body>
</html>
`,
    'birds/dist/style.css': '',
    'birds/dist/script.js': '',
    'birds/src/notes.haml': '%p',
  });
  await button('Open').click();
  const heading = ann.preview().getByRole('heading', { name: 'BirdsRobins fly' });
  await expect(heading).toBeVisible();
  await expect(heading.locator('b')).toHaveCSS('color', 'rgb(1, 2, 3)');
  await expect(page).toHaveTitle(/Birds/);
  expectQuiet(server, ann);
});

test('WB-15: a form of another site opens nothing before the user has seen who sent it', async ({
  browser,
  server,
}) => {
  const sam = await newSignedInUser(browser, server, uniqueName('sam'));
  const data = {
    title: 'A pen </script><script>alert(1)</script>',
    html: '<h1>Posted</h1>',
    css: 'h1 { i { color: rgb(1, 2, 3) } }',
    css_pre_processor: 'scss',
    js: 'document.querySelector("h1").append(` by ${1 + 1}`);',
    js_pre_processor: 'coffeescript',
  };
  await withOtherSite(sam.context, async (other) => {
    const { host } = new URL(other.url());
    await post(other, `${server.address}/prefill`, { data: JSON.stringify(data) });
    const summary = dialog('Import from another site', other);
    await expect(summary).toContainText(`From ${host}. `);
    await expect(summary).toContainText('coffeescriptNot supported');
    await expect(other).toHaveURL(`${server.address}/new#posted`);
    // The page behind the dialog is the user's, and a reload loses nothing.
    await other.reload();
    await expect(summary).toContainText('script.coffee');
    await summary.getByRole('button', { name: 'Open' }).click();
    await expect(other).toHaveURL(/\/draft\//);
    const preview = other.frameLocator('iframe[title="Result"]');
    await expect(preview.getByRole('heading', { name: 'Posted' })).toBeVisible();
    await expect(other).toHaveTitle(/A pen <\/script>/);
    await other.goBack();
    await expect(other).toHaveURL(`${server.address}/new`);
    await expect(other.getByRole('button', { name: 'Import', exact: true })).toBeVisible();
    await expect(other.getByRole('dialog')).toBeHidden();
    await other.goto(`${server.address}/new#posted`);
    await expect(other.getByRole('alert')).toContainText('couldn’t be read');
  });
  await sam.page.goto(`${server.address}/work?tab=drafts`);
  await expect(sam.page.getByText('A pen </script>')).toHaveCount(1);

  await withOtherSite(sam.context, async (other) => {
    const files = { 'index.html': '<h1>Canceled</h1>' };
    await post(other, `${server.address}/prefill`, { files: JSON.stringify(files) });
    await dialog('Import from another site', other).getByRole('button', { name: 'Cancel' }).click();
    await expect(other).toHaveURL(`${server.address}/new`);
  });
  await sam.page.reload();
  await expect(sam.page.getByText('A pen </script>')).toHaveCount(1);
  await expect(sam.page.getByText('Canceled')).toHaveCount(0);
});

const odd: Readonly<Record<string, string>> = {
  'index.html':
    '<h1>Round trip</h1>\r\n<script type="module" src="js/100%25%20a%23b.js"></script>\r\n',
  'js/100% a#b.js': 'document.querySelector("h1").append(" 🐦");\n',
  'ä ö/日本 語.css': '/* ü\u2028\u00A0\u200B */\n',
  "it's [1] (a) & b?.md": '# Hi\n\n\n',
  ['__proto__']: 'a\tb\n',
  'empty.js': '',
};

test('a link with code gives another browser exactly the same files', async ({
  browser,
  server,
}) => {
  await page.goto(`${server.address}/new`);
  await dropZip(odd);
  await button('Open').click();
  await expect(ann.preview().getByRole('heading', { name: 'Round trip 🐦' })).toBeVisible();
  const link = await copyLink(ann);

  const bob = await newVisitor(browser, server);
  await bob.page.goto(link);
  const summary = dialog('Import from a link', bob.page);
  await expect(summary).toContainText('From a link. 6 files');
  await expect(summary).not.toContainText('Skipped');
  await expect(bob.page).toHaveURL(link);
  await summary.getByRole('button', { name: 'Cancel' }).click();
  await expect(bob.page).toHaveURL(`${server.address}/new`);
  await bob.page.goto(link);
  await summary.getByRole('button', { name: 'Open' }).click();
  await expect(bob.preview().getByRole('heading', { name: 'Round trip 🐦' })).toBeVisible();
  expect(await copyLink(bob)).toBe(link);
  expectQuiet(server, ann, bob);
});

/** Copies the project's link in Share. */
async function copyLink(user: TestUser): Promise<string> {
  await user.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await user.page.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog('Share', user.page).getByRole('button', { name: 'Copy link with code' }).click();
  await expect(user.page.getByText('Link copied')).toBeVisible();
  await user.page.keyboard.press('Escape');
  return user.page.evaluate(() => navigator.clipboard.readText());
}

test('a link says what isn’t in it, and that a project is too large for one', async ({
  browser,
  server,
}) => {
  await page.goto(`${server.address}/new`);
  await dropZip({ 'index.html': '<h1>Logo</h1>', 'logo.png': createPng(40, 30) });
  await button('Open').click();
  await expect(ann.preview().getByRole('heading', { name: 'Logo' })).toBeVisible();
  const link = await copyLink(ann);
  await expect(page.getByText('It doesn’t include 1 non-text file')).toBeVisible();
  const bob = await newVisitor(browser, server);
  await bob.page.goto(link);
  await expect(dialog('Import from a link', bob.page)).toContainText(
    'logo.pngLinks can only contain text files',
  );

  await startDraft(ann, server, 'html');
  await page.goto(`${server.address}/new`);
  const noise = Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 99_991).join();
  await dropZip({ 'index.html': '<h1>Large</h1>', 'noise.txt': noise });
  await button('Open').click();
  await expect(ann.preview().getByRole('heading', { name: 'Large' })).toBeVisible();
  await button('Share').click();
  await button('Copy link with code').click();
  await expect(page.getByRole('alert')).toContainText('This project is too large for a link.');
});
