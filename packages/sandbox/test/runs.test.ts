import { toTextFiles } from '@vitrine/project';
import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { serviceWorkerVersion } from '../src/protocol.ts';
import { setUpChromium } from './rig/chromium.ts';
import { TestWorkspace } from './rig/workspace.ts';

const at = setUpChromium();

const files = {
  'index.html':
    '<!doctype html><title>One</title><link rel="stylesheet" href="a.css"><p>One</p><script src="a.js"></script>',
  'a.js': 'document.body.dataset.a = "saved"',
  'a.css': 'p { color: rgb(1, 1, 1) }',
};

function save(
  slug: string,
  revision: number,
  isPrivate = false,
  all: Record<string, string> = files,
) {
  at.rig.projects.set(slug, {
    id: slug,
    slug,
    revision,
    isPrivate,
    files: toTextFiles(Object.entries(all)),
  });
}

/** Saves a private project and runs it with access. Resolves to its preview's origin. */
async function runPrivate(): Promise<string> {
  save('hiddenhidd', 1, true);
  const key = 'edit--hiddenhidd';
  const origin = `http://${key}.vitrine.localhost:${at.rig.port}`;
  const enterFrom = `/enter?key=${key}&origin=${encodeURIComponent(origin)}`;
  await at.workspace.run({ files, key, served: { revision: 1 }, enterFrom });
  return origin;
}

/** Color of a pixel in a PNG, read by a canvas of another page. */
async function colorAt(png: string, x: number, y: number): Promise<string> {
  canvasPage ??= await (await at.browser.newContext()).newPage();
  return String(
    await canvasPage.evaluate(
      async (at) => {
        const picture = new Image();
        picture.src = `data:image/png;base64,${at.png}`;
        await picture.decode();
        const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
        canvas?.drawImage(picture, 0, 0);
        return canvas?.getImageData(at.x, at.y, 1, 1).data.slice(0, 3).join();
      },
      { png, x, y },
    ),
  );
}
let canvasPage: Page | undefined;

describe('a saved project', () => {
  it('P-10 opens with the server’s page and is edited through the service worker', async () => {
    save('savedsaved', 3);
    await at.workspace.run({ files, key: 'edit--savedsaved', served: { revision: 3 } });
    expect(at.rig.requests.some(({ url }) => url.includes('/__vitrine/boot'))).toBe(false);
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'saved');
    expect(await at.workspace.inResult('location.search')).toBe('');
    const before = at.rig.requests.length;
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited');
    const pages = at.rig.requests
      .slice(before)
      .filter(({ url }) => /\/(\?|a\.js|a\.css)/.test(url));
    expect(pages).toEqual([]);
  });

  it('runs again offline once it was edited', async () => {
    save('savedsaved', 3);
    await at.workspace.run({ files, key: 'edit--savedsaved', served: { revision: 3 } });
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited');
    await at.workspace.inResult('(() => { window.isOld = true })()');
    await at.context.setOffline(true);
    await at.page.evaluate('preview.run()');
    await at.workspace.untilInResult(
      'window.isOld ?? document.body?.dataset.a',
      (a) => a === 'edited',
    );
    await at.workspace.reach('running');
  });

  for (const [absence, leave] of [
    ['offline', () => at.context.setOffline(true)],
    ['while the server can’t be reached', () => at.context.route('**/enter*', (it) => it.abort())],
  ] as const)
    it(`runs again ${absence} before its first edit`, async () => {
      await runPrivate();
      await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'saved');
      await at.workspace.inResult('navigator.serviceWorker.ready.then(() => true)');
      await at.page.evaluate('preview.shared.compileQueue.prepare()');
      await at.workspace.inResult('(() => { window.isOld = true })()');
      await leave();
      await at.page.evaluate('preview.run()');
      await at.workspace.untilInResult(
        'window.isOld ?? document.body?.dataset.a',
        (a) => a === 'saved',
      );
      await at.workspace.reach('running');
    });

  it('says that it can’t load offline, and loads once the network is back', async () => {
    save('savedsaved', 3);
    await at.workspace.run({ files, key: 'savedsaved', served: { revision: 3 } });
    await at.context.setOffline(true);
    await at.page.evaluate('preview.run()');
    expect((await at.workspace.reach('failed')).message).toContain('You’re offline');
    await at.context.setOffline(false);
    await at.workspace.reach('running');
    // The driver never evaluates in a frame that has shown the browser's error page.
    const scripts = at.rig.requests.filter(({ url }) => url.endsWith('/a.js'));
    expect(scripts).toHaveLength(2);
  });

  it('is sent again if the server has a different revision', async () => {
    save('savedsaved', 4);
    await at.workspace.run({
      files: { ...files, 'a.js': 'document.body.dataset.a = "mine"' },
      key: 'edit--savedsaved',
      served: { revision: 3 },
    });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'mine');
  });

  it('P-14 opens with an access URL if it is private', async () => {
    const origin = await runPrivate();
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'saved');
    expect(await at.workspace.inResult('document.cookie')).toBe('');
    // Without the access URL, the same page is a 404.
    const visitorPage = await (await at.browser.newContext()).newPage();
    expect((await visitorPage.goto(`${origin}/`))?.status()).toBe(404);
    await visitorPage.context().close();
  });

  it('shows the 404 page of a broken link if it is private and was opened long ago', async () => {
    await runPrivate();
    await at.page.evaluate(`{
      const now = performance.now.bind(performance);
      performance.now = () => now() + 60_000;
    }`);
    await at.page.evaluate(`preview.navigate('/none.html')`);
    const text = `document.querySelector('main')?.textContent.trim()`;
    await at.workspace.untilInResult(text, (is) => is === 'Can’t find /none.html in this project.');
    const { at: location } = await at.workspace.seenUntil(
      (seen) => seen.at?.address === '/none.html',
    );
    expect(location?.canGoBack).toBe(true);
  });
});

describe('the example of docs/host.md', () => {
  it('runs and works as described', async () => {
    const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
    expect(await read('../../../docs/host.md')).toContain(await read('rig/example.ts'));
    await at.workspace.open();
    await at.page.evaluate(
      `{ rig.draft = rig.showDraft(document.querySelector('#result'), '${at.rig.previewHost}') }`,
    );
    const status = `document.querySelector('#result').dataset.status`;
    await at.workspace.until(status, (now) => now === 'running');
    const color = `getComputedStyle(document.querySelector('h1')).color`;
    await at.workspace.untilInResult(color, (now) => now === 'rgb(0, 128, 128)');
    await at.page.evaluate(`rig.draft.edit('style.css', 'h1 { color: rgb(1, 2, 3) }')`);
    await at.workspace.untilInResult(color, (now) => now === 'rgb(1, 2, 3)');
    await at.page.evaluate(`rig.draft.edit('style.css', 'h1 { color: tea')`);
    await at.page.evaluate(`rig.draft.edit('index.html', '<script>missing()</script>')`);
    const problem = `document.querySelector('#result').dataset.problem`;
    await at.workspace.until(problem, (now) => now === '“missing” is not defined.');
    await at.page.evaluate('rig.draft.close()');
    expect(await at.page.locator('iframe').count()).toBe(0);
  });
});

describe('data of an earlier version of a project', () => {
  it('SB-16 is never shown on the next visit', async () => {
    const slug = 'poisonpois';
    const key = `edit--${slug}`;
    const fixed = {
      ...files,
      'index.html': `${files['index.html']}<a href="two.html">Two</a>`,
      'a.js': 'document.body.dataset.a = "fixed"',
      'two.html': '<!doctype html><title>Two</title><p>Two',
    };
    save(slug, 1);
    await at.workspace.run({ files, key, served: { revision: 1 } });
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited');
    await at.workspace.untilInResult('caches.keys().then((names) => names.length)', (n) => n === 1);
    // All stored data is altered, and there is a newer run that the app never sent.
    await at.workspace.inResult(`(async () => {
      const paths = ['index.html', 'a.js', 'a.css', 'two.html'];
      const names = paths.map((path) => '/9/' + path);
      const list = { version: 9, stored: Date.now() + 1e9, names };
      const run = 'f'.repeat(32);
      for (const name of [...await caches.keys(), 'vitrine-runs-${serviceWorkerVersion}-' + run]) {
        const cache = await caches.open(name);
        for (const path of paths) {
          const file = { path, text: 'poisoned', mediaType: 'text/html', code: null, module: null, since: 9 };
          await cache.put('/9/' + path, new Response(JSON.stringify(file)));
        }
        await cache.put('/', new Response(JSON.stringify(list)));
      }
      const own = await caches.open('vitrine-runs-${serviceWorkerVersion}');
      await own.put('/opened', new Response(JSON.stringify(run)));
    })()`);
    await at.page.goto('about:blank');
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');

    save(slug, 2, false, fixed);
    await at.workspace.run({ files: fixed, key, served: { revision: 2 } });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'fixed');
    const got = (path: string) =>
      at.workspace.inResult(`fetch('${path}').then((answer) => answer.text())`);
    expect(await got('a.js')).toContain(fixed['a.js']);
    expect(await got('a.css')).toContain(fixed['a.css']);
    expect(await got('two.html')).toContain('<title>Two</title><p>Two');
    await at.workspace.inResult(`document.querySelector('a').click()`);
    await at.workspace.untilInResult('document.title', (title) => title === 'Two');
    expect(await at.workspace.inResult('document.body.innerText')).not.toContain('poisoned');
  });
});

describe('a run', () => {
  it('P-11 is separate in two tabs of one project', async () => {
    const other = new TestWorkspace(await at.context.newPage(), at.rig);
    const mine = (name: string) => ({ ...files, 'a.js': `document.body.dataset.a = "${name}"` });
    await at.workspace.run({ files: mine('first') });
    await other.run({ files: mine('second') });
    await at.workspace.edit({ 'index.html': `${files['index.html']}<p>edited` });
    await at.workspace.untilInResult(
      'document.querySelectorAll("p").length',
      (count) => count === 2,
    );
    await at.workspace.untilInResult('document.body.dataset.a', (a) => a === 'first');
    await other.edit({ 'a.js': 'document.body.dataset.a = "second again"' });
    await other.untilInResult('document.body?.dataset.a', (a) => a === 'second again');
  });

  it('P-12 is sent again if the service worker and its data are gone', async () => {
    await at.workspace.run({ files });
    await at.workspace.inResult(`(async () => {
      for (const name of await caches.keys()) await caches.delete(name);
      await (await navigator.serviceWorker.getRegistration()).unregister();
    })()`);
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited', 15_000);
    await at.workspace.reach('running');
  });

  it('leaves no data behind when its preview is closed', async () => {
    const count = 'caches.keys().then((names) => names.length)';
    await at.workspace.run({ files });
    await at.workspace.untilInResult(count, (value) => value === 1);
    await at.page.evaluate('preview.close()');
    await at.page.waitForFunction('!document.querySelector("iframe")');
    await at.workspace.startHere({ files, key: 'draft--one' });
    await at.workspace.reach('running');
    await at.workspace.untilInResult(count, (value) => value === 1);
  });

  it('P-12 survives that the browser stops the service worker', async () => {
    await at.workspace.run({ files });
    const written = `caches.keys().then(async ([name]) => name !== undefined && (await (await caches.open(name)).match('/')) !== undefined)`;
    await at.workspace.untilInResult(written, (value) => value === true);
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await at.workspace.inResult('(() => { window.before = 1; location.reload() })()');
    await at.workspace.untilInResult(
      'window.before ?? document.body?.dataset.a',
      (a) => a === 'saved',
    );
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited');
  });

  it('P-12 gets an edit again that was lost with a page that unloaded', async () => {
    await at.workspace.run({ files });
    await at.workspace.inResult(
      '(() => { ServiceWorker.prototype.postMessage = () => { location.reload() } })()',
    );
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "edited"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'edited');
  });

  it('H-01 serves files with their MIME types, and names a missing file', async () => {
    await at.workspace.run({ files });
    const read = `fetch('a.css').then((r) => [r.status, r.headers.get('content-type'), r.headers.get('origin-agent-cluster'), r.headers.get('x-content-type-options')].join())`;
    expect(await at.workspace.inResult(read)).toBe('200,text/css; charset=utf-8,?1,nosniff');
    expect(await at.workspace.inResult(`fetch('none.png').then((r) => r.status)`)).toBe(404);
    await at.workspace.inResult(`(() => { location.href = 'none.html' })()`);
    await at.workspace.untilInResult('document.body?.textContent', (text) =>
      String(text).includes('Can’t find /none.html'),
    );
  });

  it('can be restarted', async () => {
    const html = `<!doctype html><title>Here</title><script>
      addEventListener('load', () => setTimeout(() => console.log('still here'), 600));
    </script>`;
    await at.workspace.run({ files: { 'index.html': html } });
    await at.workspace.seenUntil(({ lines }) => lines.length === 1);
    await at.page.evaluate('preview.run()');
    await at.workspace.seenUntil(({ lines }) => lines.length === 0);
    const { states } = await at.workspace.seenUntil(({ lines }) => lines.length === 1);
    expect(states.map(({ status }) => status)).toEqual([
      'starting',
      'running',
      'starting',
      'running',
    ]);
  });

  it('keeps a page that starts to unload and then stays', async () => {
    at.rig.tamper = ({ pathname }, response) =>
      pathname === '/endless' ? new Response(new ReadableStream()) : response;
    await at.workspace.run({
      files: { 'index.html': `<h1>One</h1><img src="${at.rig.appOrigin}/endless">` },
    });
    await at.workspace.inResult(`(() => {
      navigation.addEventListener('navigate', (event) => event.preventDefault());
      location = '/other.html';
      addEventListener('load', () => setTimeout(() => console.log('still here'), 600));
      document.querySelector('img').removeAttribute('src');
    })()`);
    const { states } = await at.workspace.seenUntil(({ lines }) => lines.length === 1);
    expect(states.map(({ status }) => status)).toEqual(['starting', 'running']);
  });

  it('is tried again when the server was too slow to respond the first time', async () => {
    let pages = 0;
    at.rig.tamper = ({ host }, response) => {
      const isPage = host !== new URL(at.rig.appOrigin).host && pages++ === 0;
      return isPage ? new Promise<Response>(() => undefined) : response;
    };
    await at.workspace.start({ files: { 'index.html': '<h1>One</h1>' } });
    const { states } = await at.workspace.reach('running', 20_000);
    expect(pages).toBeGreaterThan(1);
    expect(states.map(({ status }) => status)).toEqual(['starting', 'running']);
  }, 40_000);

  it('never flashes white between two runs of a dark page', async () => {
    const dark =
      '<!doctype html><style>html { background: rgb(200, 0, 0) }</style><script src="a.js"></script>';
    await at.workspace.run({ files: { 'index.html': dark, 'a.js': '1' } });
    const session = await at.context.newCDPSession(at.page);
    const shots: string[] = [];
    session.on('Page.screencastFrame', ({ data, sessionId }) => {
      shots.push(data);
      void session.send('Page.screencastFrameAck', { sessionId });
    });
    await session.send('Page.startScreencast', { format: 'png' });
    for (let count = 1; count <= 8; count += 1) {
      await at.workspace.edit({ 'a.js': `document.title = '${count}'; document.write(${count})` });
      await at.workspace.untilInResult('document.title', (title) => title === String(count));
      await at.workspace.reach('running');
    }
    await session.send('Page.stopScreencast');
    // A busy machine skips some frames.
    expect(shots.length).toBeGreaterThan(4);
    const colors = await Promise.all(shots.map((shot) => colorAt(shot, 100, 200)));
    expect([...new Set(colors)]).toEqual(['200,0,0']);
  });

  it('patches a page without scripts, and reloads one with scripts', async () => {
    const plain = (text: string) =>
      `<!doctype html><title>P</title><p class="a">${text}</p><p>Two</p>`;
    await at.workspace.run({ files: { 'index.html': plain('One') } });
    await at.workspace.inResult('(() => { window.kept = document.querySelector("p") })()');
    await at.workspace.edit({ 'index.html': plain('Three <b>bold</b>') });
    await at.workspace.untilInResult(
      'document.querySelector("p").textContent',
      (t) => t === 'Three bold',
    );
    expect(await at.workspace.inResult('window.kept === document.querySelector("p")')).toBe(true);
    await at.workspace.edit({
      'index.html': `${plain('Four')}<script>document.title = 'ran'</script>`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'ran');
    expect(await at.workspace.inResult('window.kept')).toBe(undefined);
  });

  it('doesn’t reload the page for a file that it never requested', async () => {
    await at.workspace.run({ files: { ...files, 'README.md': 'One', 'data.json': '1' } });
    await at.workspace.inResult('(() => { window.kept = 1; })()');
    await at.workspace.edit({ 'README.md': 'Two' });
    await at.workspace.inResult(`fetch('data.json').then((response) => response.text())`);
    expect(await at.workspace.inResult('window.kept')).toBe(1);
    await at.workspace.edit({ 'data.json': '2' });
    await at.workspace.untilInResult('window.kept', (kept) => kept === undefined);
  });
});
