import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { lockFile } from './rig/packages.ts';
import { realPackages } from './rig/frameworks.ts';
import { pollUntil } from './rig/workspace.ts';
import { bothTransports } from './rig/transports.ts';

const at = setUpChromium();

const html = (body: string) => `<!doctype html><title>Start</title>${body}`;
const main = '<script type="module" src="main.js"></script>';

/** Holds back responses whose URL contains a text; returns the function that releases them. */
function hold(part: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  at.rig.tamper = ({ href }, response) => {
    if (!href.includes(part)) return response;
    const body = new ReadableStream({
      async start(controller) {
        await promise;
        controller.enqueue(new Uint8Array(await response.arrayBuffer()));
        controller.close();
      },
    });
    return new Response(body, response);
  };
  return resolve;
}

/** Waits for a request whose URL contains a text. */
const asked = (part: string) =>
  pollUntil(
    async () => at.rig.requests.map(({ url }) => url),
    (urls) => urls.some((url) => url.includes(part)),
    part,
    10_000,
  );

const title = (text: string) =>
  at.workspace.untilInResult('document.title', (shown) => shown === text);

function save(slug: string, files: Record<string, string>) {
  at.rig.projects.set(slug, {
    id: slug,
    slug,
    revision: 1,
    isPrivate: false,
    files: toTextFiles(Object.entries(files)),
  });
  return { files, key: `edit--${slug}`, served: { revision: 1 } };
}

describe.each(bothTransports)(
  'while a page loads, with the $transport transport',
  ({ isSrcdoc }) => {
    it('loses no edit of a component that waits for its packages', async () => {
      const app = (label: string) => `import { useState } from 'react';
export function App() { useState(0); return <h1>${label}</h1>; }`;
      const release = hold('/npm/react');
      await at.workspace.start({
        isSrcdoc,
        files: {
          ...realPackages('react', 'react-dom'),
          'index.html': html('<div id="root"></div><script type="module" src="main.tsx"></script>'),
          'main.tsx': `import { createRoot } from 'react-dom/client';
import { App } from './App';
createRoot(document.querySelector('#root')!).render(<App />);`,
          'App.tsx': app('One'),
        },
      });
      await asked('/npm/react');
      await at.workspace.edit({ 'App.tsx': app('Two') });
      await at.workspace.edit({ 'App.tsx': app('Three') });
      release();
      await at.workspace.untilInResult(
        `document.querySelector('h1')?.textContent`,
        (text) => text === 'Three',
      );
      await at.workspace.reach('running');
    });

    it('doesn’t wait for a package that is no longer imported', async () => {
      hold('/npm/tiny-jsx');
      await at.workspace.start({
        isSrcdoc,
        files: {
          'package-lock.json': lockFile('1.0.0'),
          'index.html': html(main),
          'main.js': `import './part.js';`,
          'part.js': `import 'tiny-jsx'; document.title = 'one'; import.meta.hot.accept();`,
        },
      });
      await asked('/npm/tiny-jsx');
      await at.workspace.edit({ 'part.js': `document.title = 'two'; import.meta.hot.accept();` });
      await title('two');
    });

    it('updates a module that failed while the page loaded', async () => {
      await at.workspace.run({
        isSrcdoc,
        files: {
          'index.html': html(main),
          'main.js': `import './part.js'; import.meta.hot.accept('./part.js', () => {});`,
          'part.js': `missing(); import.meta.hot.accept();`,
        },
      });
      await at.workspace.seenUntil(({ problems }) => problems.length > 0);
      await at.workspace.edit({ 'part.js': `document.title = 'right'; import.meta.hot.accept();` });
      await title('right');
      await at.workspace.seenUntil(({ problems }) => problems.length === 0);
    });

    it('loads the newest version of a module that the page requests later', async () => {
      const late = (text: string) => `document.title = '${text}'; import.meta.hot.accept();`;
      await at.workspace.run({
        isSrcdoc,
        files: {
          'index.html': html(main),
          'main.js': `window.go = () => import('./late.js');`,
          'late.js': late('one'),
        },
      });
      await at.workspace.edit({ 'late.js': late('two') });
      await at.workspace.until('preview.state.status', (status) => status === 'running');
      await at.workspace.untilInResult(`window.go?.() && document.title`, (text) => text === 'two');
    });
  },
);

describe('while a saved page loads', () => {
  it('detects a page that hangs before its hello, and recovers with the fix', async () => {
    const files = { 'index.html': '<!doctype html><script>for (;;);</script>' };
    // Its hello was not delivered or, as here, not sent yet.
    at.rig.tamper = ({ href }, response) =>
      href.includes('__vitrine=') ? new Response(files['index.html'], response) : response;
    await at.workspace.start(save('hanging', files));
    const { states } = await at.workspace.reach('unresponsive');
    expect(states.map(({ status }) => status)).toEqual(['starting', 'unresponsive']);
    at.rig.tamper = undefined;
    await at.workspace.edit({ 'index.html': html('') });
    await title('Start');
  });

  it('shows a page whose first script loads slowly', async () => {
    const release = hold('/__vitrine/frame');
    await at.workspace.start(save('late', { 'index.html': html('') }));
    await at.workspace.reach('unresponsive');
    release();
    await title('Start');
    await at.workspace.reach('running');
  });

  it('loses no edit made before the service worker is active', async () => {
    const release = hold('/__vitrine/sw.js');
    const script = (text: string) => `document.title = '${text}'`;
    const files = {
      'index.html': html('<script src="main.js"></script>'),
      'main.js': script('one'),
    };
    await at.workspace.run(save('slowworker', files));
    await asked('/__vitrine/sw.js');
    await at.workspace.edit({ 'main.js': script('two') });
    await at.workspace.edit({ 'main.js': script('three') });
    release();
    await title('three');
  });

  it('shows an edited stylesheet whose link has not been parsed yet', async () => {
    const release = hold('/slow.js');
    const files = {
      'index.html': html(`<script src="${at.rig.appOrigin}/slow.js"></script>
<script>document.write('<link rel="stylesheet" href="a.css"><h1>Text</h1>')</script>`),
      'a.css': 'h1 { color: rgb(1, 1, 1) }',
    };
    await at.workspace.start(save('slowsheet', files));
    await asked('/slow.js');
    await at.workspace.edit({ 'a.css': 'h1 { color: rgb(2, 2, 2) }' });
    release();
    await at.workspace.untilInResult(
      `getComputedStyle(document.querySelector('h1')).color`,
      (color) => color === 'rgb(2, 2, 2)',
    );
  });

  it('reloads a page that has received the old text of a file', async () => {
    const release = hold('/data.json');
    const files = {
      'index.html': html(
        `<script>fetch('data.json').then((r) => r.text()).then((text) => (document.title = text))</script>`,
      ),
      'data.json': '"one"',
    };
    await at.workspace.run(save('latedata', files));
    await asked('/data.json');
    await at.workspace.edit({ 'data.json': '"two"' });
    await at.workspace.reach('running');
    release();
    await title('"two"');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });
});
