import { toTextFiles } from '@vitrine/project';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { startRig, type Rig } from './rig/app-server.ts';
import { lockFile } from './rig/packages.ts';
import { realPackages } from './rig/frameworks.ts';
import { startFirefox, type Firefox } from '@vitrine/testing/firefox';
import { bothTransports, isWhole } from './rig/transports.ts';
import { asDriven, TestWorkspace } from './rig/workspace.ts';
import { drive, findTest, outline } from './tests/drive.ts';
import { interfaceProject, wantedOfInterface } from './tests/interface.ts';

let firefox: Firefox;
let rig: Rig;
let page: Page;
let workspace: TestWorkspace;
let count = 0;

// All tests share one page, as in Chromium: rig/chromium.ts.
beforeAll(async () => {
  [firefox, rig] = await Promise.all([startFirefox(), startRig()]);
  page = await firefox.browser.newPage();
  workspace = new TestWorkspace(asDriven(page), rig);
  workspace.keepsPage = true;
  await workspace.open();
});
afterAll(async () => {
  await firefox.close();
  await rig.close();
});
beforeEach(() => {
  workspace.key = `draft--t${++count}`;
  rig.requests.length = 0;
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await workspace.open();
  else await workspace.end();
});

const files = {
  'index.html':
    '<!doctype html><title>One</title><link rel="stylesheet" href="a.css"><h1>One</h1><script src="a.js"></script>',
  'a.js': 'document.body.dataset.a = "one"; console.log("hello")',
  'a.css': 'h1 { color: rgb(1, 1, 1) }',
};

it('SB-31 Firefox reports a refused permission, and asks by its own rules once the user allows it', async () => {
  const state = `navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)`;
  await workspace.run({
    files: {
      'index.html': '<!doctype html><title>Page</title><script src="a.js"></script>',
      'a.js': 'navigator.geolocation.getCurrentPosition(() => {}, () => {});',
    },
  });
  const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
  expect(problems).toMatchObject([
    { kind: 'permission', permission: 'geolocation', canAllow: true, path: 'a.js', line: 1 },
  ]);
  expect(await workspace.inResult(state)).toBe('denied');
  await page.evaluate(`preview.setPermissions(new Set(['geolocation']))`);
  await workspace.untilInResult(state, (now) => now === 'prompt');
  await page.evaluate(`preview.setPermissions(new Set())`);
  await workspace.untilInResult(state, (now) => now === 'denied');
});

describe.each(bothTransports)('Firefox with the $transport transport', ({ isSrcdoc }) => {
  it('behaves as on a static server: elements, base URL, synchronous requests', async () => {
    await workspace.run({
      files: {
        'index.html': `<!doctype html><title>t</title><base href="/app/">
<script id="first">const x = new XMLHttpRequest(); x.open('GET', 'data.json', false); x.send();
document.documentElement.dataset.seen = [document.scripts[0].id, document.scripts.length, x.responseText,
  Object.keys(window).filter((name) => /^_|vitrine/i.test(name))].join();</script>
<script type="module">import { word } from './part.js'; document.title = word;</script>`,
        'app/data.json': '[1]',
        'app/part.js': `export const word = 'base';`,
      },
      isSrcdoc,
    });
    await workspace.untilInResult(
      '[document.title, document.documentElement.dataset.seen].join("|")',
      (is) => is === 'base|first,1,[1],',
    );
  });

  it('runs a draft, replaces its stylesheet and runs an edited script', async () => {
    await workspace.run({ files, isSrcdoc });
    await workspace.seenUntil(({ lines }) => lines.length === 1);
    await workspace.inResult('window.before = 1');
    await workspace.edit({ 'a.css': 'h1 { color: rgb(2, 2, 2) }' });
    await workspace.untilInResult(
      'getComputedStyle(document.querySelector("h1")).color',
      (color) => color === 'rgb(2, 2, 2)',
    );
    expect(await workspace.inResult('window.before')).toBe(1);
    await workspace.edit({ 'a.js': 'document.body.dataset.a = "two"' });
    await workspace.untilInResult('document.body?.dataset.a', (a) => a === 'two');
  });

  it('takes a poster', async () => {
    await workspace.run({
      files: {
        'index.html':
          '<!doctype html><title>P</title><link rel="stylesheet" href="a.css"><canvas></canvas>',
        'a.css':
          'body { margin: 0; background: rgb(0, 128, 0) } canvas { background: url(blue.svg) }',
        'blue.svg':
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#0000c8"/></svg>',
      },
      isSrcdoc,
    });
    const taken = await page.evaluate(`(async () => {
      const poster = await preview.takePoster();
      if (poster.status !== 'taken') return poster.status;
      const bitmap = await createImageBitmap(new Blob([poster.png], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].join();
      return [bitmap.width, at(50, 50), at(bitmap.width - 5, bitmap.height - 5)];
    })()`);
    expect(taken).toEqual([1280, '0,0,200,255', '0,128,0,255']);
  });

  // Chromium runs everything with both transports. Here, what doesn't depend on the transport runs with one.
  const onServed = it.runIf(isWhole || !isSrcdoc);
  const onSrcdoc = it.runIf(isWhole || isSrcdoc);

  onSrcdoc('runs tests with the interface of vitest', async () => {
    const tests = drive(() => workspace, { isSrcdoc });
    await tests.start(interfaceProject);
    expect(outline(await tests.finished())).toEqual(wantedOfInterface);
  });

  onSrcdoc('locates failures and inline snapshots in tests', async () => {
    const tests = drive(() => workspace, { isSrcdoc });
    await tests.start({
      'a.test.ts': `import { expect, it } from 'vitest';
interface Unused {}
it('differs', () => {
  expect(1 + 1).toBe(3);
});
it('is kept', () => expect([1]).toMatchInlineSnapshot());
`,
    });
    const { location, failures } = findTest(await tests.finished(), 'differs');
    expect(location).toMatchObject({ path: 'a.test.ts', line: 3 });
    expect(failures[0]?.stack).toMatchObject([{ path: 'a.test.ts', line: 4 }]);
    const [written] = await tests.updateSnapshots();
    expect(written?.text).toContain('toMatchInlineSnapshot(`\n  [\n    1,\n  ]\n`)');
  });

  onServed(
    'navigates and goes back, checks accessibility, and emulates the dark color scheme',
    async () => {
      await workspace.run({
        files: {
          ...files,
          'a.css': '@media (prefers-color-scheme: dark) { h1 { color: rgb(9, 9, 9) } }',
          'two.html': '<!doctype html><title>Two</title><img src="a.png">',
        },
        isSrcdoc,
      });
      await page.evaluate(`preview.navigate('/two.html')`);
      await workspace.seenUntil(({ at }) => at?.address === '/two.html' && at.canGoBack);
      await page.evaluate('preview.accessibility.watch(true)');
      const { accessibility } = await workspace.seenUntil(
        ({ accessibility: report }) => report.status === 'checked',
      );
      expect(JSON.stringify(accessibility)).toContain('image-alt');
      await page.evaluate('preview.accessibility.watch(false)');
      await page.evaluate('preview.traverseHistory(-1)');
      await workspace.seenUntil(({ at }) => at?.address === '/' && at.canGoForward);
      await page.evaluate(
        `preview.setMediaEmulation({ colorScheme: 'dark', reducedMotion: false })`,
      );
      await workspace.untilInResult(
        'getComputedStyle(document.querySelector("h1")).color',
        (color) => color === 'rgb(9, 9, 9)',
      );
    },
  );

  it('compiles TypeScript and JSX, and reports the location of an error', async () => {
    await workspace.run({
      files: {
        'index.html':
          '<!doctype html><main></main><script type="module" src="src/main.tsx"></script>',
        'package-lock.json': lockFile('1.0.0'),
        'tsconfig.json': '{"compilerOptions":{"jsxImportSource":"tiny-jsx"}}',
        'src/main.tsx': `import { App } from './App';
import './App.css';
document.querySelector('main')!.append(<App />);
type Late = string;
const late: Late = 'late'; throw new Error(late);`,
        'src/App.tsx': 'export const App = () => <h1>Hello</h1>;',
        'src/App.css': 'h1 { color: rgb(1, 2, 3) }',
      },
      isSrcdoc,
    });
    await workspace.untilInResult(
      `(({ textContent }, { color }) => textContent + color)(
        document.querySelector('h1'), getComputedStyle(document.querySelector('h1')))`,
      (shown) => shown === 'Hellorgb(1, 2, 3)',
    );
    const { problems } = await workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({ path: 'src/main.tsx', line: 5 });
    await workspace.edit({ 'src/App.tsx': 'export const App = () => <h1>Bye</h1>;' });
    await workspace.untilInResult(
      `document.querySelector('h1')?.textContent`,
      (text) => text === 'Bye',
    );
  });

  onServed('opens what was logged, runs code and offers names', async () => {
    const script = `let deep = 1; for (let i = 0; i < 9; i += 1) deep = { in: deep }; console.log(deep, new Error('here'))`;
    await workspace.run({ files: { ...files, 'a.js': script }, isSrcdoc });
    const { lines } = await workspace.seenUntil((seen) => seen.lines.length === 1);
    expect(lines[0]?.values[1]).toMatchObject({ stack: expect.stringContaining('a.js:1:') });
    const atFive = JSON.stringify(lines[0]?.values[0]).match(/"handle":([1-9]\d*)/)?.[1];
    const ask = `preview.console.query({ kind: 'open', handle: ${atFive}, from: 0 }, rig.seen.document)`;
    const said = await workspace.page.evaluate(`${ask}.then(JSON.stringify)`);
    expect(JSON.parse(String(said))).toMatchObject({ kind: 'members', members: [{ name: 'in' }] });
    await workspace.page.evaluate(
      `preview.console.evaluate({ shown: '', code: 'Promise.resolve(20 + 22)', awaits: true })`,
    );
    const seen = await workspace.seenUntil(({ lines: [, , last] }) => last?.method === 'result');
    expect(seen.lines[2]?.values).toEqual([{ type: 'number', text: '42' }]);
    const names = await workspace.page.evaluate(
      `preview.console.findCompletions(['document', 'body'])`,
    );
    expect(names).toContain('appendChild');
  });

  onServed('keeps the state of a React component and of a self-accepting module', async () => {
    const app = `import { useState } from 'react';
import './state.js';
export function App() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>Count {count}</button>;
}`;
    const state = (text: string) => `const { data } = import.meta.hot;
data.runs = (data.runs ?? 0) + 1;
document.title = '${text}' + data.runs;
import.meta.hot.accept();`;
    await workspace.run({
      files: {
        ...realPackages('react', 'react-dom'),
        'index.html': '<!doctype html><main></main><script type="module" src="main.tsx"></script>',
        'main.tsx': `import { createRoot } from 'react-dom/client';
import { App } from './App';
createRoot(document.querySelector('main')!).render(<App />);`,
        'App.tsx': app,
        'state.js': state('one'),
      },
      isSrcdoc,
    });
    const text = `document.querySelector('button')?.textContent`;
    await workspace.untilInResult(text, (shown) => shown === 'Count 0');
    await workspace.inResult(`document.querySelector('button').click()`);
    await workspace.untilInResult(text, (shown) => shown === 'Count 1');
    await workspace.edit({ 'App.tsx': app.replace('>Count ', '>Sum ') });
    await workspace.untilInResult(text, (shown) => shown === 'Sum 1');
    await workspace.edit({ 'state.js': state('two') });
    await workspace.untilInResult('document.title', (title) => title === 'two2');
    expect(await workspace.inResult(text)).toBe('Sum 1');
  });

  it('has a process of its own: an infinite loop doesn’t freeze the app’s page, and a fix restarts the preview', async () => {
    await workspace.run({ files, isSrcdoc });
    await workspace.page.evaluate('rig.measureGaps()');
    await workspace.edit({ 'a.js': 'for (;;);' });
    // A frozen page would be silent for at least the two seconds that a page may take to respond.
    expect((await workspace.reach('unresponsive', 6_000)).longestGapMs).toBeLessThan(1_000);
    await workspace.edit({ 'a.js': 'document.body.dataset.a = "back"' });
    await workspace.reach('running');
    await workspace.untilInResult('document.body?.dataset.a', (a) => a === 'back');
  });
});

describe('Firefox on the separate preview host', () => {
  it('P-14 gets access to a private project and can’t read the session', async () => {
    const slug = 'hiddenhidd';
    rig.projects.set(slug, {
      id: slug,
      slug,
      revision: 1,
      isPrivate: true,
      files: toTextFiles(Object.entries(files)),
    });
    const key = `edit--${slug}`;
    const origin = `http://${key}.${rig.previewHost}`;
    const enterFrom = `/enter?key=${key}&origin=${encodeURIComponent(origin)}`;
    await workspace.run({ files, key, served: { revision: 1 }, enterFrom });
    await workspace.untilInResult('document.body?.dataset.a', (a) => a === 'one');
    expect(await workspace.inResult('document.cookie')).toBe('');
    const own = rig.requests.filter(({ url }) => url.startsWith(origin));
    expect(own.some(({ cookie }) => cookie?.includes('__Host-vitrine-preview='))).toBe(true);
    expect(own.some(({ cookie }) => cookie?.includes('session'))).toBe(false);
  });
});
