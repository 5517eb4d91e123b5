import { expect } from '@playwright/test';
import {
  expectQuiet,
  newSignedInUser,
  newVisitor,
  retype,
  rewrite,
  saveDraft,
  startDraft,
  test,
} from '../rig/test-user.ts';
import { withEmptyLog, type TestServer } from '@vitrine/testing/server';

let server: TestServer;

test.beforeAll(({ sharedServer }) => {
  server = withEmptyLog(sharedServer);
});

const main = `/** @jsxRuntime classic @jsx make */
import './main.css';
import { word } from './word';

type Tag = 'h1' | 'p';
const make = (tag: Tag, _: unknown, text: string) =>
  Object.assign(document.createElement(tag), { textContent: text });
document.body.append(<h1>{word as string}</h1>);
`;

test(
  'TypeScript and JSX run in a draft, and compiled by the server once saved',
  { tag: '@journey' },
  async ({ browser }) => {
    const tess = await newSignedInUser(browser, server, 'tess');
    await startDraft(tess, server, 'html');
    const add = async (path: string, text: string) => {
      await tess.page.getByRole('button', { name: 'New file' }).first().click();
      await tess.page.getByRole('textbox', { name: 'New file name' }).fill(path);
      await tess.page.keyboard.press('Enter');
      await retype(tess, path, text);
    };
    await add('word.ts', `export const word: string = 'Typed';`);
    await add('main.css', 'h1 { color: rgb(1, 2, 3) }');
    await add('main.tsx', main);
    await rewrite(
      tess,
      'index.html',
      '<!doctype html><script type="module" src="main.tsx"></script>',
    );
    const heading = tess.preview().getByRole('heading', { name: 'Typed' });
    await expect(heading).toHaveCSS('color', 'rgb(1, 2, 3)');

    await rewrite(tess, 'word.ts', `export const word: string = ;`);
    await tess.page.getByRole('tab', { name: 'Problems' }).click();
    const problem = tess.page.getByRole('list', { name: 'Problems' }).getByRole('button');
    await expect(problem).toContainText('Missing value between “=” and “;”.');
    await expect(problem).toContainText('word.ts:1');
    await expect(heading).toBeVisible();

    await rewrite(tess, 'word.ts', `export const word: string = 'Saved';`);
    await expect(tess.preview().getByRole('heading', { name: 'Saved' })).toBeVisible();
    const address = await saveDraft(tess);
    await tess.page.goto(`${address}/full`);
    await expect(
      tess.page.frameLocator('iframe').getByRole('heading', { name: 'Saved' }),
    ).toBeVisible();
    expectQuiet(server, tess);
  },
);

test(
  'the compiler is loaded from our host, and only for projects that need it',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    const loaded: string[] = [];
    ann.context.on('request', (request) => {
      if (request.url().endsWith('.wasm')) loaded.push(new URL(request.url()).origin);
    });
    await startDraft(ann, server, 'html');
    await expect(ann.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
    expect(loaded).toEqual([]);
    await rewrite(
      ann,
      'script.js',
      `/** @jsxRuntime classic @jsx make */
const make = (tag, _, text) => Object.assign(document.createElement(tag), { textContent: text });
document.body.append(<h2>Made</h2>);`,
    );
    await expect(ann.preview().getByRole('heading', { name: 'Made' })).toBeVisible();
    expect(loaded).toEqual([server.address]);
    expect(ann.complaints).toEqual([]);
  },
);

test(
  'stylesheets and Markdown are compiled in a worker, under the app’s CSP',
  { tag: '@long' },
  async ({ browser }) => {
    const ann = await newVisitor(browser, server);
    await startDraft(ann, server, 'tailwind');
    const button = ann.preview().getByRole('button', { name: 'Count' });
    await expect(button).toHaveCSS('background-color', 'rgb(194, 65, 12)');
    await rewrite(ann, 'style.css', '@import "tailwindcss";\n@theme { --color-clay: #010203; }');
    await expect(button).toHaveCSS('background-color', 'rgb(1, 2, 3)');

    await startDraft(ann, server, 'tartan');
    await expect(ann.preview().getByRole('figure', { name: 'Moss' })).toHaveCSS(
      'background-image',
      /^repeating-linear-gradient/,
    );

    await startDraft(ann, server, 'lamp');
    await expect(ann.preview().getByRole('switch', { name: 'Light' })).toHaveCSS('width', '52px');

    await startDraft(ann, server, 'markdown');
    await expect(ann.preview().getByRole('heading', { name: 'Make something' })).toBeVisible();
    await rewrite(ann, 'index.md', '# Written');
    await expect(ann.preview().getByRole('heading', { name: 'Written' })).toBeVisible();

    await startDraft(ann, server, 'html');
    await ann.page.getByRole('button', { name: 'New file' }).first().click();
    await ann.page.getByRole('textbox', { name: 'New file name' }).fill('main.less');
    await ann.page.keyboard.press('Enter');
    await retype(ann, 'main.less', '@ink: rgb(1, 2, 3);\nh1 { color: @ink }');
    await rewrite(ann, 'script.js', `import('./main.less');`);
    await expect(ann.preview().getByRole('heading')).toHaveCSS('color', 'rgb(1, 2, 3)');
    expect(ann.complaints).toEqual([]);
  },
);
