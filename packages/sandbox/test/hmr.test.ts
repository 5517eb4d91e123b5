import { toTextFiles } from '@vitrine/project';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { realPackages } from './rig/frameworks.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

const html = (script: string) =>
  `<!doctype html><title>Start</title><div id="root"></div><script type="module" src="${script}"></script>`;

const react = {
  ...realPackages('react', 'react-dom'),
  'index.html': html('src/main.tsx'),
  'src/main.tsx': `import { createRoot } from 'react-dom/client';
import { App } from './App';
createRoot(document.querySelector('#root')!).render(<App />);`,
  'src/App.tsx': `import { useState } from 'react';
import { label } from './label';

export function App() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>{label}: {count}</button>;
}`,
  'src/label.ts': `export const label: string = 'Count';`,
};

const app = react['src/App.tsx'];
const button = `document.querySelector('button')?.textContent`;
const click = `document.querySelector('button').click()`;
/** Marks the document, to detect a reload. */
const mark = '(() => { window.kept = true })()';

declare global {
  interface Window {
    /** Paths that the worker was asked to compile. */
    compiledElsewhere: string[];
  }
}

function watchCompiled(): void {
  const paths: string[] = (window.compiledElsewhere = []);
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (this: Worker, message: { type: string; path: string }) {
    if (message.type === 'compile') paths.push(message.path);
    Reflect.apply(postMessage, this, [message]);
  };
}

/** Makes an edit and returns how many updates the page has got synchronously. */
function countHotMessages(change: Record<string, string>): number {
  const { postMessage } = MessagePort.prototype;
  let count = 0;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    if ((args[0] as { type?: unknown }).type === 'hot') count += 1;
    Reflect.apply(postMessage, this, args);
  };
  window.rig.edit(change);
  MessagePort.prototype.postMessage = postMessage;
  return count;
}

describe.each(bothTransports)('HMR with the $transport transport', ({ isSrcdoc }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isSrcdoc });
  const shows = (text: string) => at.workspace.untilInResult(button, (shown) => shown === text);
  const isKept = () => at.workspace.inResult('window.kept === true');

  it('keeps the state of an edited React component', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await shows('Count: 1');
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await shows('Count! 1');
    await at.workspace.edit({ 'src/label.ts': `export const label = 'Sum';` });
    await shows('Sum! 1');
    expect(await isKept()).toBe(true);
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('compiles TypeScript and JSX on the main thread once the worker has', async () => {
    await run(react);
    await shows('Count: 0');
    await at.page.evaluate(watchCompiled);
    let edits = 0;
    const editOnce = async () => {
      const before = await at.page.evaluate(() => window.compiledElsewhere.length);
      const label = `Count ${(edits += 1)}`;
      await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', `${label}:`) });
      await shows(`${label}: 0`);
      return (await at.page.evaluate(() => window.compiledElsewhere.length)) - before;
    };
    await expect.poll(editOnce, { timeout: 10_000 }).toBe(0);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label:') });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({ path: 'src/App.tsx', line: 6 });
    expect((await at.workspace.seen()).problems).toEqual(problems);
  });

  it('sends an edit to the page before the editor paints the keystroke', async () => {
    const script = (n: number) => `document.body.dataset.n = ${n}; import.meta.hot.accept();`;
    await run({ 'index.html': html('a.js'), 'a.js': script(0) });
    await at.workspace.untilInResult('document.body.dataset.n', (n) => n === '0');
    let edits = 0;
    const editOnce = async () => {
      const count = await at.page.evaluate(countHotMessages, { 'a.js': script((edits += 1)) });
      await at.workspace.untilInResult('document.body.dataset.n', (n) => n === String(edits));
      return count;
    };
    // The worker compiles the first ones.
    await expect.poll(editOnce, { timeout: 10_000 }).toBe(1);
  });

  it('keeps a component’s output while an identifier is incomplete, and updates it in a pause', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(click);
    await shows('Count: 1');
    let edits = 0;
    const editOnce = async () => {
      const label = `Count ${(edits += 1)}`;
      const edit = { 'src/App.tsx': app.replace('{label}:', `${label}:`) };
      const count = await at.page.evaluate(countHotMessages, edit);
      await shows(`${label}: 1`);
      return count;
    };
    // The worker compiles the first ones.
    await expect.poll(editOnce, { timeout: 10_000 }).toBe(1);
    const half = { 'src/App.tsx': app.replace('{label}:', '{lab}:') };
    expect(await at.page.evaluate(countHotMessages, half)).toBe(0);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await shows('Count! 1');
    expect((await at.workspace.seen()).problems).toEqual([]);
    await at.workspace.edit(half);
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]?.message).toBe('“lab” is not defined.');
  });

  it('resets the state of a React component whose hooks changed, without a reload', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await shows('Count: 1');
    const withEffect = app
      .replace('useState }', 'useEffect, useState }')
      .replace('  return', '  useEffect(() => { document.title = "effect" }, []);\n  return');
    await at.workspace.edit({ 'src/App.tsx': withEffect });
    await shows('Count: 0');
    await at.workspace.untilInResult('document.title', (title) => title === 'effect');
    expect(await isKept()).toBe(true);
  });

  it('remounts a class component', async () => {
    const component = (word: string) => `import { Component } from 'react';
export class App extends Component {
  state = { count: 0 };
  render() {
    return <button onClick={() => this.setState({ count: 1 })}>${word} {this.state.count}</button>;
  }
}`;
    await run({ ...react, 'src/App.tsx': component('One') });
    await shows('One 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await shows('One 1');
    await at.workspace.edit({ 'src/App.tsx': component('Two') });
    await shows('Two 0');
    expect(await isKept()).toBe(true);
  });

  it('reloads the page for a module that exports more than components', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    const more = `${app}\nexport const size = Math.random();`;
    await at.workspace.edit({ 'src/App.tsx': more });
    await at.workspace.untilInResult(`${button} + window.kept`, (v) => v === 'Count: 0undefined');
    await at.workspace.reach('running');
  });

  it('keeps the state when a component throws, and shows the next working version', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(click);
    await shows('Count: 1');
    await at.workspace.inResult(mark);
    await at.workspace.edit({ 'src/App.tsx': `${app}\nmissing();` });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({
      message: '“missing” is not defined.',
      path: 'src/App.tsx',
      line: 8,
      column: 1,
    });
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await shows('Count! 1');
    expect(await isKept()).toBe(true);
    expect((await at.workspace.seen()).problems).toEqual([]);
  });

  it('shows the next working version after rendering has thrown', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.edit({ 'src/App.tsx': app.replace('  return', '  missing();\n  return') });
    await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await shows('Count! 0');
    await at.workspace.seenUntil((seen) => seen.problems.length === 0);
  });

  const preact = {
    ...realPackages('preact'),
    'index.html': html('src/main.tsx'),
    'src/main.tsx': `import { render } from 'preact';
import { App } from './App';
render(<App />, document.querySelector('#root')!);`,
    'src/App.tsx': app.replace(`'react'`, `'preact/hooks'`),
    'src/label.ts': react['src/label.ts'],
  };

  it('reports errors of rendering, for Preact as for React', async () => {
    for (const project of [react, preact]) {
      await run(project);
      await shows('Count: 0');
      const broken = project['src/App.tsx'].replace('  return', '  missing();\n  return');
      await at.workspace.edit({ 'src/App.tsx': broken });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems).toMatchObject([
        { kind: 'error', message: '“missing” is not defined.', path: 'src/App.tsx', line: 6 },
      ]);
      await at.workspace.edit({ 'src/App.tsx': project['src/App.tsx'].replace(':', '!') });
      await at.workspace.seenUntil((seen) => seen.problems.length === 0);
    }
  });

  it('keeps the state of a Preact component', async () => {
    await run(preact);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await shows('Count: 1');
    for (const sign of ['!', '?']) {
      const edited = preact['src/App.tsx'].replace('{label}:', `{label}${sign}`);
      await at.workspace.edit({ 'src/App.tsx': edited });
      await shows(`Count${sign} 1`);
    }
    expect(await isKept()).toBe(true);
  });

  const title = (text: string) =>
    at.workspace.untilInResult('document.title', (shown) => shown === text);

  it('passes hot.data to a self-accepting module and calls dispose before', async () => {
    const module = (text: string) => `const data = import.meta.hot?.data ?? {};
document.title = '${text}' + (data.count ?? 0);
import.meta.hot?.accept();
import.meta.hot?.dispose((kept) => { kept.count = (data.count ?? 0) + 1; });`;
    await run({ 'index.html': html('main.js'), 'main.js': module('a') });
    await title('a0');
    await at.workspace.inResult(mark);
    for (const [index, text] of ['b', 'c', 'd'].entries()) {
      await at.workspace.edit({ 'main.js': module(text) });
      await title(`${text}${index + 1}`);
    }
    expect(await isKept()).toBe(true);
  });

  it('calls the accept callback of an indirect importer', async () => {
    await run({
      'index.html': html('main.js'),
      'main.js': `import { name } from './middle.js';
document.title = name;
import.meta.hot.accept(['./other.js', './middle.js'], ([other, middle]) => {
  document.title = String(other) + middle.name;
});`,
      'middle.js': `export { name } from './deep.js';`,
      'deep.js': `import data from './data.json';\nexport const name = 'one' + data.n;`,
      'other.js': '',
      'data.json': '{"n":1}',
    });
    await title('one1');
    await at.workspace.inResult(mark);
    await at.workspace.edit({ 'data.json': '{"n":2}' });
    await title('undefinedone2');
    await at.workspace.edit({
      'deep.js': `import data from './data.json';\nexport const name = 'two' + data.n;`,
    });
    await title('undefinedtwo2');
    expect(await isKept()).toBe(true);
  });

  it('updates the importers of a module that calls invalidate', async () => {
    await run({
      'index.html': html('main.js'),
      'main.js': `import { name } from './part.js';
document.title = name;
import.meta.hot.accept('./part.js', (part) => { document.title = 'accepted ' + part.name; });`,
      'part.js': `export const name = 'one';
import.meta.hot.accept(() => import.meta.hot.invalidate());`,
    });
    await title('one');
    await at.workspace.inResult(mark);
    await at.workspace.edit({
      'part.js': `export const name = 'two';\nimport.meta.hot.accept(() => import.meta.hot.invalidate());`,
    });
    await title('accepted two');
    expect(await isKept()).toBe(true);
  });

  it('emits events before and after an update, and prunes modules without importers', async () => {
    const main = (head: string) => `${head}
import.meta.hot.accept();
import.meta.hot.on('vite:beforeUpdate', ({ updates }) => console.log('before', updates[0].path));`;
    await run({
      'index.html': html('main.js'),
      'main.js': main(`import './part.js';`),
      'part.js': `import.meta.hot.prune(() => console.log('pruned'));`,
    });
    await at.workspace.edit({ 'main.js': main(`console.log('new');`) });
    const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length >= 3);
    expect(
      lines.map(({ values }) => values.map((v) => ('text' in v ? v.text : '')).join(' ')),
    ).toEqual(['before main.js', 'new', 'pruned']);
  });

  it('reloads the page for a circular import that would keep old modules', async () => {
    await run({
      'index.html': html('a.js'),
      'a.js': `import { b } from './b.js';\nexport const a = () => 'a1';\ndocument.title = b();`,
      'b.js': `import { a } from './a.js';\nexport const b = () => a() + 'b1';\nimport.meta.hot.accept();`,
    });
    await title('a1b1');
    await at.workspace.edit({
      'b.js': `import { a } from './a.js';\nexport const b = () => a() + 'b2';\nimport.meta.hot.accept();`,
    });
    await title('a1b2');
  });

  it('applies the latest of many quick edits, and loses none', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(click);
    await at.workspace.inResult(mark);
    for (let count = 1; count <= 20; count += 1)
      await at.workspace.edit({
        [count % 2 === 0 ? 'src/App.tsx' : 'src/label.ts']:
          count % 2 === 0
            ? app.replace('{label}:', `{label}${count}:`)
            : `export const label = '${count}-';`,
      });
    await shows('19-20: 1');
    expect(await isKept()).toBe(true);
  });

  it('reloads if no module accepts, and restores the scroll position', async () => {
    const tall = `<!doctype html><body style="height:5000px"><script type="module" src="main.js"></script>`;
    await run({
      'index.html': tall,
      'main.js': `import './part.js';`,
      'part.js': `document.title = 'one'`,
    });
    await at.workspace.inResult('scrollTo(0, 1234)');
    await at.workspace.untilInResult(
      'new Promise(r => setTimeout(() => r(scrollY), 150))',
      (y) => y === 1234,
    );
    await at.workspace.edit({ 'part.js': `document.title = 'two'` });
    await title('two');
    await at.workspace.untilInResult('scrollY', (y) => y === 1234);
  });

  it('replaces a stylesheet that changes together with a component', async () => {
    const color = `getComputedStyle(document.querySelector('button')).color`;
    await run({
      ...react,
      'src/App.tsx': `import './app.css';\n${app}`,
      'src/app.css': 'button { color: rgb(1, 1, 1) }',
    });
    await at.workspace.untilInResult(color, (value) => value === 'rgb(1, 1, 1)');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await at.workspace.edit({
      'src/App.tsx': `import './app.css';\n${app.replace('{label}:', '{label}!')}`,
      'src/app.css': 'button { color: rgb(2, 2, 2) }',
    });
    await shows('Count! 1');
    await at.workspace.untilInResult(color, (value) => value === 'rgb(2, 2, 2)');
    expect(await isKept()).toBe(true);
  });

  it('does nothing for a module that the page never loaded', async () => {
    await run({ ...react, 'src/App.test.tsx': `import { App } from './App';` });
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await shows('Count! 1');
    expect(await isKept()).toBe(true);
  });

  it('adds a new component, and reloads the page when a needed one is removed', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await at.workspace.edit({ 'src/Sign.tsx': `export const Sign = () => <>!</>;` });
    await at.workspace.edit({
      'src/App.tsx': `import { Sign } from './Sign';\n${app.replace('{label}:', '{label}<Sign />')}`,
    });
    await shows('Count! 1');
    await at.workspace.edit({ 'src/Sign.tsx': `export const Sign = () => <>?</>;` });
    await shows('Count? 1');
    expect(await isKept()).toBe(true);
  });

  it.each([
    ['fails', 'null.x; export const Sign = () => <>!</>;'],
    ['does not parse', 'export const Sign = () => <>!'],
  ])('shows a fixed new file, which %s when it is imported', async (_how, broken) => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.edit({ 'src/Sign.tsx': broken });
    await at.workspace.edit({
      'src/App.tsx': `import { Sign } from './Sign';\n${app.replace('{label}:', '{label}<Sign />')}`,
    });
    await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    await at.workspace.edit({ 'src/Sign.tsx': `export const Sign = () => <>?</>;` });
    await shows('Count? 0');
  });

  it('delays an importer until its new import, which takes longer, has compiled', async () => {
    await run(react);
    await shows('Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(click);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}.') });
    await shows('Count. 1');
    await at.page.evaluate(
      ([sign, changed]) => {
        window.rig.edit({ 'src/Sign.tsx': sign });
        window.rig.edit({ 'src/App.tsx': changed });
      },
      [
        `export const Sign = () => <>!</>; // ${'and so on '.repeat(3_000)}`,
        `import { Sign } from './Sign';\n${app.replace('{label}:', '{label}<Sign />')}`,
      ] as const,
    );
    await shows('Count! 1');
    expect(await isKept()).toBe(true);
  });
});

describe('HMR with the isolated-origin transport', () => {
  it('keeps the state from the first edit of a project that the server served', async () => {
    at.rig.projects.set('savedreact', {
      id: 'savedreact',
      slug: 'savedreact',
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(react)),
    });
    await at.workspace.run({ files: react, key: 'edit--savedreact', served: { revision: 1 } });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.inResult(click);
    await at.workspace.inResult(mark);
    for (const sign of ['!', '?']) {
      await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', `{label}${sign}`) });
      await at.workspace.untilInResult(button, (text) => text === `Count${sign} 1`);
    }
    expect(await at.workspace.inResult('window.kept')).toBe(true);
  });

  it('keeps the state of a page of the server when the service worker starts late', async () => {
    at.rig.projects.set('savedlate', {
      id: 'savedlate',
      slug: 'savedlate',
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(react)),
    });
    at.rig.tamper = ({ pathname }, response) =>
      pathname === '/__vitrine/sw.js' ? endLate(response) : response;
    await at.workspace.run({ files: react, key: 'edit--savedlate', served: { revision: 1 } });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.inResult(click);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await at.workspace.untilInResult(
      button,
      (text) => text?.toString().startsWith('Count!') ?? false,
    );
    expect(await at.workspace.inResult(button)).toBe('Count! 1');
  });

  it('reloads the page if the service worker doesn’t control it', async () => {
    await at.workspace.run({ files: react });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.inResult(mark);
    await at.workspace.inResult(
      `Object.defineProperty(navigator.serviceWorker, 'controller', { value: null })`,
    );
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await at.workspace.untilInResult(button, (text) => text === 'Count! 0');
    expect(await at.workspace.inResult('window.kept')).toBe(undefined);
  });

  it('P-17 runs no new module before the service worker has its text', async () => {
    const module = (text: string) => `document.title += '${text}'; import.meta.hot?.accept();`;
    await at.workspace.run({
      files: {
        'index.html': '<title></title><script type="module" src="main.js"></script>',
        'main.js': module('1'),
      },
    });
    await at.workspace.untilInResult('document.title', (title) => title === '1');
    await at.workspace.inResult(`(() => {
      const post = ServiceWorker.prototype.postMessage;
      ServiceWorker.prototype.postMessage = function (...args) {
        setTimeout(() => post.apply(this, args), 200);
      };
    })()`);
    await at.workspace.edit({ 'main.js': module('2') });
    await at.workspace.untilInResult('document.title', (title) => title === '12');
  });

  it('P-12 continues after the browser stopped the service worker', async () => {
    await at.workspace.run({ files: react });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.inResult(click);
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await at.workspace.untilInResult(button, (text) => text === 'Count! 1');
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}?') });
    await at.workspace.untilInResult(button, (text) => text === 'Count? 1');
  });

  it('reloads a page with modules without version queries', async () => {
    await at.workspace.run({ files: react });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.edit({ 'src/App.tsx': app.replace('{label}:', '{label}!') });
    await at.workspace.untilInResult(button, (text) => text === 'Count! 0');
    await at.workspace.edit({
      'src/main.tsx': `${react['src/main.tsx']}\ndocument.title = 'updated';`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'updated');
    await at.workspace.untilInResult(button, (text) => text === 'Count! 0');
    const loaded = `performance.getEntriesByType('resource').filter(({ name }) => /[?&]t=/.test(name)).length`;
    expect(await at.workspace.inResult(loaded)).toBe(0);
  });

  it('keeps the log over an update, and maps locations in the new text', async () => {
    await at.workspace.run({ files: react });
    await at.workspace.untilInResult(button, (text) => text === 'Count: 0');
    await at.workspace.inResult(`console.log('before')`);
    await at.workspace.edit({
      'src/App.tsx': `interface Unused {\n  name: string;\n}\n${app}\nconsole.log('after');`,
    });
    const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length === 2);
    expect(lines[1]).toMatchObject({ path: 'src/App.tsx', line: 11, column: 9 });
  });

  it('loads the refresh runtime after the first paint, and only for components', async () => {
    await at.workspace.run({ files: react });
    const runtime = `performance.getEntriesByType('resource').some(({ name }) => name.includes('-refresher.js'))`;
    await at.workspace.untilInResult(runtime, (isLoaded) => isLoaded === true);
    const files = { 'index.html': html('main.js'), 'main.js': 'import.meta.hot.accept()' };
    await at.workspace.run({ files, key: 'draft--two' });
    expect(await at.workspace.inResult(runtime)).toBe(false);
    await at.workspace.edit({ 'main.js': 'document.title = "new"; import.meta.hot.accept()' });
    await at.workspace.untilInResult('document.title', (title) => title === 'new');
    expect(await at.workspace.inResult(runtime)).toBe(false);
  });

  it('replaces modules of a page that has a worker', async () => {
    const main = (text: string) => `import.meta.hot.data.worker ??= new Worker('/work.js');
document.title = '${text}';
import.meta.hot.accept();`;
    await at.workspace.run({
      files: { 'index.html': html('main.js'), 'main.js': main('one'), 'work.js': '' },
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'one');
    await at.workspace.inResult(mark);
    await at.workspace.edit({ 'main.js': main('two') });
    await at.workspace.untilInResult('document.title', (title) => title === 'two');
    expect(await at.workspace.inResult('window.kept')).toBe(true);
  });

  it('does nothing in a worker that imports a module that accepts', async () => {
    await at.workspace.run({
      files: {
        'index.html': html('main.js'),
        'main.js': `new Worker('/work.js', { type: 'module' }).onmessage = ({ data }) => { document.title = data; };`,
        'work.js': `import './part.js'; postMessage(String(import.meta.hot));`,
        'part.js': `import.meta.hot?.accept();`,
      },
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'undefined');
  });
});

/** A response that takes longer than a page waits for it. */
function endLate(response: Response): Response {
  const late = new TransformStream<Uint8Array, Uint8Array>({ flush: () => delay(2_000) });
  return new Response(response.body?.pipeThrough(late), response);
}
