/** Checks that pages behave as on a plain static server, with both transports. */
import type { Dialog } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { bothTransports } from '../rig/transports.ts';

const at = setUpChromium({ sharesPage: true });

describe.each(bothTransports)('a page with the $transport transport', ({ isSrcdoc }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isSrcdoc });

  describe('has no elements of ours', () => {
    const look = `const count = document.scripts.length;
const seen = [document.querySelector('script').id, document.scripts[0].id, document.head.firstElementChild.localName,
  document.head.children.length, document.currentScript?.id, count].join(' ');
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const { localName, dataset } of addedNodes)
    if (localName === 'script') window.added = [...(window.added ?? []), dataset.is ?? 'ours'];
  for (const { removedNodes } of changes) if (removedNodes.length) window.removed = true;
}).observe(document, { childList: true, subtree: true });
document.documentElement.dataset.seen = seen;`;

    it('when its first script runs, or later', async () => {
      await run({
        'index.html': `<!doctype html><html><head><meta charset="utf-8"><title>Own</title></head>
<body><script id="first" src="look.js"></script>
<script type="module" data-is="module">import './part.js'; document.documentElement.dataset.scripts = document.scripts.length</script></body></html>`,
        'look.js': look,
        'part.js': '',
      });
      await at.workspace.untilInResult(
        'document.documentElement.dataset.scripts',
        (count) => count === '2',
      );
      const seen = await at.workspace.inResult(
        '[document.documentElement.dataset.seen, window.added, window.removed, document.scripts.length].join("|")',
      );
      expect(seen).toBe('first first meta 2 first 1|module||2');
    });

    it('in a page loaded after an edit', async () => {
      const page = (title: string) => `<!doctype html><title>${title}</title>
<script id="mine">document.body?.remove(); document.title += document.scripts.length + document.querySelector('script').id</script>`;
      await run({ 'index.html': page('one') });
      await at.workspace.untilInResult('document.title', (title) => title === 'one1mine');
      await at.workspace.edit({ 'index.html': page('two') });
      await at.workspace.untilInResult('document.title', (title) => title === 'two1mine');
    });

    it('with a tool loaded', async () => {
      await run({
        'index.html': `<!doctype html><title>t</title><script id="first" src="look.js"></script><p>x`,
        'look.js': look,
      });
      await at.workspace.reach('running');
      await at.page.evaluate('preview.takeScreenshot?.()');
      await at.page.evaluate('preview.watchNetwork?.()');
      await at.workspace.reach('running');
      const scripts = 'Array.from(document.scripts, (script) => script.id || script.src).join()';
      await at.workspace.untilInResult(scripts, (ids) => ids === 'first');
    });
  });

  it('has no enumerable globals of ours', async () => {
    await run({
      'index.html': `<!doctype html><title>t</title><body><script>
const names = Object.keys(window);
for (const name in window) names.push(name);
// A browser's own globals start with a letter.
document.title = 'extra:' + names.filter((name) => /^_|vitrine/i.test(name)).join();
</script>`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'extra:');
  });

  describe('with beforeunload handlers', () => {
    const asking = `(event) => { event.preventDefault(); event.returnValue = 'x'; }`;
    const script = `addEventListener('beforeunload', ${asking});
addEventListener('beforeunload', ${asking}, true);
onbeforeunload = () => 'stay';
addEventListener('pagehide', () => { name += 'h'; });
addEventListener('unload', () => { location.href = 'other.html'; });
self.navigation?.addEventListener('navigate', (event) => !/reload|traverse/.test(event.navigationType) && event.cancelable && event.preventDefault());`;
    const child = `<script>${script}</script><button>in</button>`;
    const frame = (attributes: string) =>
      `<iframe style="height: 60px" ${attributes} srcdoc='${child.replaceAll("'", '&#39;')}'></iframe>`;
    const project = (word: string) => ({
      'index.html': `<!doctype html><title>t</title><body onbeforeunload="return 'stay'">
<button id="press">press</button><p>${word}</p>
${frame('id="open"')}${frame('id="foreign" sandbox="allow-scripts allow-modals"')}<iframe src="child.html"></iframe>
<script src="script.js"></script>`,
      'child.html': child,
      'other.html': '<p>other</p>',
      'script.js': `${script} document.title = '${word}'`,
    });

    it('is reloaded, stopped and run again without a prompt, but may prompt itself', async () => {
      const dialogs: string[] = [];
      const hear = (dialog: Dialog) => {
        dialogs.push(dialog.type());
        void dialog.dismiss();
      };
      at.page.on('dialog', hear);
      const touch = async () => {
        const result = at.page.frameLocator('#result iframe').last();
        await result.locator('#press').click();
        await result.frameLocator('#open').locator('button').click();
        await result.frameLocator('#foreign').locator('button').click();
      };
      const shows = (word: string) =>
        at.workspace.untilInResult('document.title', (title) => title === word);
      await run(project('one'));
      await shows('one');
      await touch();
      for (const word of ['two', 'three']) {
        await at.workspace.edit(project(word));
        await shows(word);
        await at.workspace.reach('running');
        await touch();
      }
      await at.workspace.inResult('window.before = 1');
      await at.page.evaluate('preview.reload()');
      await at.workspace.untilInResult(
        '[window.before, document.title].join()',
        (is) => is === ',three',
      );
      await at.workspace.reach('running');
      await touch();
      await at.page.evaluate(`preview.navigate('/other.html')`);
      await at.workspace.untilInResult(
        'document.querySelector("p")?.textContent',
        (is) => is === 'other',
      );
      // Browsers add no history entry for a page that navigates before it has loaded.
      await at.workspace.untilInResult('document.readyState', (state) => state === 'complete');
      await at.page.evaluate(`preview.navigate('/index.html')`);
      await shows('three');
      await touch();
      await at.page.evaluate('preview.traverseHistory(-1)');
      await at.workspace.untilInResult(
        'document.querySelector("p")?.textContent',
        (is) => is === 'other',
      );
      await at.page.evaluate('preview.traverseHistory(1)');
      await shows('three');
      await touch();
      await at.page.evaluate('preview.run()');
      await at.workspace.reach('running');
      await shows('three');
      await touch();
      await at.page.evaluate('preview.stop()');
      await at.workspace.until(
        'document.querySelectorAll("iframe").length',
        (count) => count === 0,
      );
      expect(dialogs).toEqual([]);
      await at.page.evaluate('preview.run()');
      await shows('three');
      await at.workspace.reach('running');
      await touch();
      // The page's own navigations may prompt.
      await at.workspace.inResult(`void setTimeout(() => location.reload())`);
      await expect.poll(() => dialogs).toContain('beforeunload');
      at.page.off('dialog', hear);
    });
  });

  describe('with a base URL', () => {
    const app = {
      'app/part.js': `export const word = 'word';`,
      'app/plain.js': `document.documentElement.dataset.plain = 'yes';`,
      'app/typed.ts': `export const typed: string = 'typed';`,
      'app/look.css': 'p { color: rgb(1, 2, 3) }',
      'app/note.txt': 'note',
      'app/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      'app/in.html': '<p>inside</p>',
      'app/index.html': '<title>app</title>',
      'app/any.html': '<title>app</title>',
      'part.js': `export const word = 'wrong';`,
    };
    const body = `<p>x</p><img src="dot.svg" alt=""><iframe src="in.html"></iframe><a href="#here">jump</a><b style="background: url(dot.svg)"></b>
<script type="module">import { word } from './part.js'; import { typed } from './typed'; import mapped from 'mapped';
const { word: later } = await import('./part.js');
document.documentElement.dataset.word = [word, typed, later, mapped, new URL('x', document.baseURI).pathname, await (await fetch('note.txt')).text()].join();</script>`;
    const shown = `[document.documentElement.dataset.word, document.documentElement.dataset.plain, getComputedStyle(document.querySelector('p')).color, document.querySelector('img').naturalWidth].join('|')`;
    const head = `<link rel="stylesheet" href="look.css"><script type="importmap">{"imports":{"mapped":"./mapped.js"}}</script><script defer src="plain.js"></script>`;

    it.each(['/app/', 'app/', './app/any.html'])('%s resolves against it', async (href) => {
      await run({
        ...app,
        'app/mapped.js': `export default 'mapped';`,
        'index.html': `<!doctype html><title>t</title><base href="${href}"><base href="/none/">${head}${body}`,
      });
      await at.workspace.untilInResult(
        shown,
        (is) => is === 'word,typed,word,mapped,/app/x,note|yes|rgb(1, 2, 3)|9',
      );
      expect((await at.workspace.seen()).problems).toEqual([]);
      await at.workspace.inResult(`document.querySelector('a').click()`);
      await at.workspace.untilInResult('document.title', (title) => title === 'app');
    });

    it('of another site loads files from that site', async () => {
      await run({
        ...app,
        'index.html': `<!doctype html><title>t</title><base href="http://elsewhere.localhost:1/app/"><script>document.title = 'ran'</script><script type="module">import './part.js';</script>`,
      });
      await at.workspace.untilInResult('document.title', (title) => title === 'ran');
    });
  });

  it('whose script sets a base URL loads files as the browser resolves them', async () => {
    await run({
      'index.html': `<!doctype html><title>t</title><script>
const base = document.createElement('base'); base.href = '/app/'; document.head.append(base);</script>
<script>fetch('note.txt').then((is) => is.text()).then((text) => { document.title = text; });</script>
<script type="module">${isSrcdoc ? '' : `import { word } from './word.js'; document.documentElement.dataset.word = word;`}</script>`,
      'app/word.js': `export const word = 'word';`,
      'app/note.txt': 'note',
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'note');
    if (isSrcdoc) return;
    await at.workspace.untilInResult(
      'document.documentElement.dataset.word',
      (is) => is === 'word',
    );
  });

  it('that navigates the window around it gets an explanation', async () => {
    await run({
      'index.html': `<!doctype html><base target="_parent"><title>t</title>
<a href="https://elsewhere.test/" target="_TOP">Top</a><a href="https://elsewhere.test/">Parent</a>
<form target="_top" action="https://elsewhere.test/"><button>Send</button></form>
<a href="https://elsewhere.test/" target="_top" onclick="event.preventDefault()">Own</a>`,
    });
    const frame = at.page.frameLocator('#result iframe');
    for (const name of ['Top', 'Parent', 'Send', 'Own']) await frame.getByText(name).click();
    const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length === 3);
    expect(
      lines.map(
        ({ values }) => /target="(\w+)"/.exec(JSON.stringify(values).replaceAll('\\', ''))?.[1],
      ),
    ).toEqual(['_TOP', '_parent', '_top']);
  });

  it('that opens a window gets an explanation why it is null', async () => {
    at.rig.tamper = withPolicyOfApp;
    await at.workspace.open();
    await run({
      'index.html': `<!doctype html><title>t</title><button>Open</button><script>
onmessage = ({ data }) => { document.title = data; };
document.querySelector('button').onclick = () => {
  const w = window.open('', '_blank', 'width=300,height=200');
  w.document.write('<!doctype html><title>Print</title><script>opener.postMessage("heard " + document.title, "*")</' + 'script>');
  w.document.close();
};</script>`,
    });
    const pages = at.context.pages().length;
    await at.page.frameLocator('#result iframe').locator('button').click();
    const { lines } = await at.workspace.seenUntil((seen) =>
      seen.lines.some(({ method }) => method === 'error'),
    );
    expect(JSON.stringify(lines)).toContain('window.open() returned null');
    expect(at.context.pages().length).toBe(pages);
    if (isSrcdoc) return;
    const said = /open (http\S+) in a new tab/.exec(JSON.stringify(lines));
    const alone = await at.context.newPage();
    await alone.goto(said?.[1] ?? '');
    const opened = alone.waitForEvent('popup');
    await alone.locator('button').click();
    await opened;
    await expect.poll(() => alone.title()).toBe('heard Print');
    await alone.close();
  });

  describe('requests files', () => {
    const files = {
      'data.json': '{"a":1}',
      'dot.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>',
      'in.html': '<!doctype html><p>inside</p><script src="in.js"></script>',
      'in.js': 'document.body.dataset.ran = "yes"',
      'worker.js': `importScripts('part.js'); const x = new XMLHttpRequest(); x.open('GET', 'data.json', false); x.send(); postMessage(word + x.responseText)`,
      'part.js': `self.word = 'word'`,
    };

    it('by a synchronous request', async () => {
      await run({
        ...files,
        'index.html': `<!doctype html><title>t</title><script>
const x = new XMLHttpRequest(); x.open('GET', 'data.json', false); x.send();
const y = new XMLHttpRequest(); y.open('GET', '/none.json', false); y.send();
document.title = [x.status, x.responseText, y.status].join()</script>`,
      });
      await at.workspace.untilInResult('document.title', (title) => title === '200,{"a":1},404');
      await at.workspace.edit({ 'data.json': '{"a":2}' });
      await at.workspace.untilInResult('document.title', (title) => title === '200,{"a":2},404');
    });

    it('by object and embed: gets a warning with alternatives before the project is saved', async () => {
      await run({
        ...files,
        'index.html': `<!doctype html><title>t</title><object id="a" data="dot.svg"></object><embed src="dot.svg"><script>
const d = document.createElement('object'); d.data = 'in.html'; document.body.append(d);
</script>`,
      });
      if (isSrcdoc) {
        await at.workspace.untilInResult(
          `document.querySelector('#a').offsetWidth`,
          (width) => width === 9,
        );
        return;
      }
      const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length === 3);
      const said = lines.map(({ method, values }) => [method, JSON.stringify(values)].join());
      expect(said.sort().map((one) => /^warn,.*<(\w+ \w+)=.*Use <img>/.exec(one)?.[1])).toEqual([
        'embed src',
        'object data',
        'object data',
      ]);
    });

    it.skipIf(isSrcdoc)('in a worker, by preload and by beacon', async () => {
      await run({
        ...files,
        'index.html': `<!doctype html><title>t</title><link rel="preload" as="fetch" href="data.json" crossorigin><link rel="prefetch" href="part.js"><script>
const heard = [];
const say = (word) => { heard.push(word); document.title = heard.sort().join() };
new Worker('worker.js').onmessage = ({ data }) => say(data);
document.querySelector('link').onload = () => say('preloaded');
say(String(navigator.sendBeacon('data.json', 'x')));
</script>`,
      });
      await at.workspace.untilInResult(
        'document.title',
        (title) => title === 'preloaded,true,word{"a":1}',
      );
    });
  });
});

it('a srcdoc preview stays while the server can’t be reached, and follows when it is back', async () => {
  const page = (title: string) => ({
    'index.html': `<!doctype html><title>${title}</title><script>'${title}'</script>`,
  });
  await at.workspace.run({ files: page('one'), isSrcdoc: true });
  await at.workspace.untilInResult('document.title', (title) => title === 'one');
  const asked = Promise.withResolvers<void>();
  const address = '**/__vitrine/srcdoc';
  await at.page.route(address, async (route) => {
    await route.abort('connectionrefused');
    asked.resolve();
  });
  await at.workspace.edit(page('two'));
  await asked.promise;
  expect(await at.workspace.inResult('document.title')).toBe('one');
  await at.page.unroute(address);
  await at.workspace.untilInResult('document.title', (title) => title === 'two');
  await at.workspace.reach('running');
});

/** As the app's pages have it (SB-18). */
function withPolicyOfApp(address: URL, response: Response): Response {
  if (address.origin === at.rig.appOrigin)
    response.headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  return response;
}
