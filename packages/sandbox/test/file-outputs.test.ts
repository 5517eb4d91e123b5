import { toTextFiles } from '@vitrine/project';
import { afterEach, describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';

const at = setUpChromium();

/** A page that requests its files in every way that browsers have, and shows the responses. */
const files = {
  'index.html': `<!doctype html>
<title>Outputs</title>
<link rel="stylesheet" href="style.scss">
<link rel="modulepreload" href="early.ts">
<link rel="preload" as="script" href="classic.ts">
<link rel="prefetch" href="late.ts">
<body>
<p>Text</p>
<img src="mark.svg">
<iframe name="notes" src="notes.md"></iframe>
<iframe name="source" src="part.ts"></iframe>
<script src="classic.ts"></script>
<script type="module" src="main.ts"></script>`,
  'style.scss': '$c: rgb(1, 2, 3);\np { color: $c }',
  'more.scss': '$w: 3px;\np { margin: $w }',
  'plain.css': 'p { padding: 4px }',
  'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>',
  'notes.md': '# Notes',
  'data.json': '{"a":1}',
  'early.ts': `export const early: string = 'early';`,
  'late.ts': `export const late: string = 'late';`,
  'part.ts': `export const part: string = 'part';`,
  'classic.ts': `var classic: string = 'classic';`,
  'library.ts': `var library: string = 'library';`,
  'worker.ts': `import { part } from './part.ts';\npostMessage(part as string);`,
  'classic-worker.ts': `importScripts('library.ts');\npostMessage(library as string);`,
  'main.ts': `import './more.scss';
import { early } from './early.ts';
import { part } from './part.ts';
import data from './data.json';
import plain from './plain.css' with { type: 'css' };
import json from './data.json' with { type: 'json' };

const read = (path: string): Promise<string> => fetch(path).then((answer) => answer.text());
const load = (element: HTMLElement & { complete?: boolean }): Promise<unknown> =>
  element.complete
    ? Promise.resolve()
    : new Promise((resolve) => element.addEventListener('load', resolve, { once: true }));
const nextMessage = (worker: Worker): Promise<unknown> =>
  new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => resolve('failed');
  });
const request = (path: string): Promise<string> =>
  new Promise((resolve) => {
    const xhr = new XMLHttpRequest();
    xhr.onload = () => resolve(xhr.responseText);
    xhr.open('GET', path);
    xhr.send();
  });
const link = document.createElement('a');
link.href = 'main.ts';
document.adoptedStyleSheets = [plain];
const image = document.querySelector('img')!;
await load(image);
await new Promise((resolve) => (document.readyState === 'complete' ? resolve(0) : addEventListener('load', resolve)));
const style = getComputedStyle(document.querySelector('p')!);
const name: string = 'late';
const seen = {
  modules: [early, part, (await import(\`./\${name}.ts\`)).late, data.a, json.a],
  classic: Reflect.get(globalThis, 'classic'),
  address: [import.meta.url, new URL('./part.ts', import.meta.url).href].map((one) => new URL(one).pathname + new URL(one).search),
  worker: await nextMessage(new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })),
  classicWorker: await nextMessage(new Worker('classic-worker.ts')),
  styles: [style.color, style.margin, style.padding],
  image: image.naturalWidth,
  pages: [...document.querySelectorAll('iframe')].map(({ contentDocument }) => contentDocument!.body.textContent!.trim()),
  read: [await read('part.ts'), await read('style.scss'), await read('notes.md'), await read('data.json'), await request('part.ts')],
};
document.body.dataset.seen = JSON.stringify(seen);`,
};

const expected = {
  modules: ['early', 'part', 'late', 1, 1],
  classic: 'classic',
  address: ['/main.ts', '/part.ts'],
  worker: 'part',
  classicWorker: 'library',
  styles: ['rgb(1, 2, 3)', '3px', '4px'],
  image: 5,
  pages: ['Notes', files['part.ts']],
  read: [
    files['part.ts'],
    files['style.scss'],
    files['notes.md'],
    files['data.json'],
    files['part.ts'],
  ],
};

const key = 'edit--manyoutputs';

function save(revision: number) {
  const project = { id: 'outputs', slug: 'manyoutputs', revision, isPrivate: false };
  at.rig.projects.set('manyoutputs', { ...project, files: toTextFiles(Object.entries(files)) });
}
afterEach(() => at.rig.projects.clear());

async function seen(): Promise<unknown> {
  const found = await at.workspace.untilInResult(
    'document.body?.dataset.seen',
    (text) => text !== undefined,
  );
  return JSON.parse(String(found)) as unknown;
}

/** An earlier visit has left a run in the service worker whose files must not be served again. */
async function leaveStaleRun(): Promise<void> {
  save(1);
  await at.workspace.run({ files, key, served: { revision: 1 } });
  const stale = Object.fromEntries(
    ['part.ts', 'library.ts', 'late.ts'].map((path) => [path, `throw new Error('stale');`]),
  );
  await at.workspace.edit(stale);
  await at.workspace.untilInResult(isKept, (value) => value === true);
  save(2);
}
const isKept = `(async () => {
  for (const name of await caches.keys())
    if (name.includes('run') && (await (await caches.open(name)).match('/'))) return true;
  return false;
})()`;

/** Distinct query strings of the requests for a path. */
function queriesOf(path: string): string[] {
  const asked = at.rig.requests.filter(({ url }) => new URL(url).pathname === `/${path}`);
  return [...new Set(asked.map(({ url }) => new URL(url).search))];
}

describe('P-15 a request gets the output for its destination', () => {
  it('without a service worker', async () => {
    save(1);
    await at.workspace.run({ files, key, served: { revision: 1 } });
    expect(await seen()).toEqual(expected);
  });

  it('with a service worker that has files of another run', async () => {
    await leaveStaleRun();
    at.rig.requests.length = 0;
    await at.workspace.run({ files, key, served: { revision: 2 } });
    expect(await seen()).toEqual(expected);
  });

  it('passed on by a service worker', async () => {
    await leaveStaleRun();
    const rule = { pattern: 'nothing', effect: { kind: 'wait', ms: 1 } };
    const message = { type: 'rules', run: 'f'.repeat(32), rules: [rule] };
    await at.workspace.inResult(
      `navigator.serviceWorker.controller.postMessage(${JSON.stringify(message)})`,
    );
    await at.workspace.untilInResult(`caches.has('vitrine-rules')`, (value) => value === true);
    at.rig.requests.length = 0;
    await at.workspace.run({ files, key, served: { revision: 2 } });
    expect(await seen()).toEqual(expected);
    expect(queriesOf('main.ts')).toEqual(['?__vitrine-for=script']);
  });

  it('passed on by a service worker that was stopped', async () => {
    await leaveStaleRun();
    await at.page.goto('about:blank');
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await at.workspace.run({ files, key, served: { revision: 2 } });
    expect(await seen()).toEqual(expected);
  });

  it('from the service worker', async () => {
    await at.workspace.run({ files });
    expect(await seen()).toEqual(expected);
  });
});

describe('a service worker of an earlier version', () => {
  const old = `self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin === location.origin && !pathname.startsWith('/__vitrine/')) event.respondWith(fetch(event.request));
});`;
  /** Stored data of that version: a run whose page has changed. */
  const leave = `(async () => {
    const cache = await caches.open('vitrine-run-${'a'.repeat(32)}');
    const list = { version: 1, stored: Date.now(), paths: ['index.html', 'main.ts'], code: [], module: [] };
    for (const path of list.paths) await cache.put('/file/' + path, new Response('stale'));
    await cache.put('/', new Response(JSON.stringify(list)));
    await navigator.serviceWorker.register('/__vitrine/sw.js', { scope: '/' });
    await navigator.serviceWorker.ready;
    for (; !navigator.serviceWorker.controller; ) await new Promise((resolve) => setTimeout(resolve, 10));
  })()`;
  const isOld = ({ pathname, search }: URL) => pathname === '/__vitrine/sw.js' && search === '';
  const headers = { 'Content-Type': 'text/javascript', 'Service-Worker-Allowed': '/' };
  const respondAsOld = (address: URL, response: Response) =>
    isOld(address) ? new Response(old, { headers }) : response;

  it('is removed with its data on the next visit, whose page runs', async () => {
    save(1);
    // The origin as an earlier visit left it, without anything newer.
    at.rig.tamper = (address, response) => {
      if (address.pathname === '/blank')
        return new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } });
      return respondAsOld(address, response);
    };
    await at.page.goto(`http://${key}.vitrine.localhost:${at.rig.port}/blank`);
    await at.page.evaluate(leave);
    await at.workspace.run({ files, key, served: { revision: 1 } });
    expect(await seen()).toEqual(expected);
    const names = await at.workspace.inResult('caches.keys().then((names) => names.join())');
    expect(names).not.toContain('a'.repeat(32));
    await at.workspace.edit({ 'part.ts': files['part.ts'].replace(`'part'`, `'edited'`) });
    await at.workspace.untilInResult('document.body?.dataset.seen', (text) =>
      String(text).includes('"worker":"edited"'),
    );
  });
});

describe('a script that fails to load', () => {
  const answers = {
    'part.ts (503).': () => new Response('', { status: 503 }),
    'part.ts (served as text/plain, not JavaScript).': () =>
      new Response('1', { headers: { 'Content-Type': 'text/plain' } }),
  };
  it.each(Object.entries(answers))('reports %s', async (words, answer) => {
    save(1);
    at.rig.tamper = ({ pathname }, response) => (pathname === '/part.ts' ? answer() : response);
    await at.workspace.run({ files, key, served: { revision: 1 } });
    // The page loads the file in a frame too, which has a diagnostic of its own.
    await at.workspace.seenUntil(({ problems }) =>
      problems.some(({ message }) => message === `main.ts failed to load: ${words}`),
    );
  });
});
