import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { bothTransports } from '../rig/transports.ts';
import { pollUntil } from '../rig/workspace.ts';

const at = setUpChromium({ sharesPage: true });

const files = {
  'index.html': `<!doctype html>
<html lang="en"><head><title>Home</title><link rel="stylesheet" href="style.css"></head>
<body><h1>Home</h1><a id="to-about" href="about.html">About</a>
<script src="main.js"></script></body></html>`,
  'about.html': `<!doctype html>
<html lang="en"><head><title>About</title></head>
<body><h1>About</h1><h2 id="team">Team</h2></body></html>`,
  'style.css': 'h1 { color: rgb(1, 1, 1) }',
  'main.js': `document.body.dataset.ran = 'yes';`,
  'data.json': '{"count":3}',
};

const run = (isSrcdoc: boolean, more: Record<string, string> = {}) =>
  at.workspace.run({ files: { ...files, ...more }, isSrcdoc });
const evaluate = (script: string) => at.page.evaluate(script);
/** State of the page at a URL. */
const pixelAt = async (x: number, y: number) => {
  const png = await at.page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  return evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (sign) => sign.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data].join();
  })()`);
};
const titleIs = (title: string) =>
  at.workspace.untilInResult('document.title', (shown) => shown === title);

describe.each(bothTransports)('navigation with the $transport transport', ({ isSrcdoc }) => {
  const reach = (address: string) =>
    at.workspace.seenUntil((seen) => seen.at?.address === address, `address ${address}`);

  it('reports the URL, navigates, and traverses the history', async () => {
    await run(isSrcdoc);
    expect((await reach('/')).at).toMatchObject({ canGoBack: false, canGoForward: false });
    await evaluate(`preview.navigate('/about.html#team')`);
    await titleIs('About');
    expect((await reach('/about.html#team')).at?.canGoBack).toBe(true);
    await evaluate('preview.traverseHistory(-1)');
    await titleIs('Home');
    expect((await reach('/')).at).toMatchObject({ canGoBack: false, canGoForward: true });
    await evaluate('preview.traverseHistory(1)');
    await titleIs('About');
    await reach('/about.html#team');
  });

  it('shows the 404 page, the page once it exists, or the entry page', async () => {
    await run(isSrcdoc);
    await evaluate(`preview.navigate('/team.html')`);
    const words = `document.querySelector('main')?.textContent.trim()`;
    const absent = 'Can’t find /team.html in this project.';
    await at.workspace.untilInResult(words, (is) => is === absent);
    expect((await reach('/team.html')).at?.canGoBack).toBe(true);
    await at.workspace.edit({ 'team.html': files['about.html'].replaceAll('About', 'Team') });
    await titleIs('Team');
    await evaluate(`preview.navigate('/none.html')`);
    await at.workspace.untilInResult(words, (is) => String(is).includes('/none.html'));
    await at.workspace.edit({ 'index.html': files['index.html'].replaceAll('Home', 'House') });
    await titleIs('House');
  });

  it('shows a page of another language once it is created or renamed to', async () => {
    await run(isSrcdoc, { 'docs/plan.md': '# Plan' });
    const shown = `document.querySelector('main, h1')?.textContent.trim()`;
    const isAbsent = (is: unknown) => String(is).startsWith('Can’t find');
    await evaluate(`preview.navigate('/b.md')`);
    await at.workspace.untilInResult(shown, isAbsent);
    // A reload keeps the page and its history.
    await at.workspace.reach('running');
    await at.workspace.inResult('window.isBefore = true');
    await evaluate('preview.reload()');
    await at.workspace.untilInResult(`window.isBefore === undefined && ${shown}`, isAbsent);
    expect((await reach('/b.md')).at?.canGoBack).toBe(true);
    await at.workspace.edit({ 'b.md': '# Bee' });
    await at.workspace.untilInResult(shown, (is) => is === 'Bee');
    expect((await reach('/b.md')).at?.canGoBack).toBe(true);
    await evaluate(`preview.navigate('/plan.md')`);
    await at.workspace.untilInResult(shown, isAbsent);
    await at.workspace.edit({ 'plan.md': '# Plan' });
    await at.workspace.untilInResult(shown, (is) => is === 'Plan');
  });

  it('follows a link, and stays on the page after a reload or edit', async () => {
    await run(isSrcdoc);
    await at.workspace.inResult(`document.querySelector('#to-about').click()`);
    await titleIs('About');
    await at.workspace.reach('running');
    await at.workspace.inResult('window.before = 1');
    await evaluate('preview.reload()');
    await at.workspace.untilInResult(
      'String(window.before) + document.title',
      (is) => is === 'undefinedAbout',
    );
    await at.workspace.edit({ 'about.html': files['about.html'].replace('>About<', '>Us<') });
    await titleIs('Us');
    expect((await reach('/about.html')).at?.canGoBack).toBe(true);
  });
});

it('reports the query and URLs set by a script', async () => {
  await run(false);
  await evaluate(`preview.navigate('/about.html?x=1')`);
  await at.workspace.untilInResult('location.search', (search) => search === '?x=1');
  await at.workspace.inResult(`history.pushState(null, '', '/made/up?y=2')`);
  await at.workspace.seenUntil((seen) => seen.at?.address === '/made/up?y=2', 'the address');
  // A reload shows the page whose script has set the URL.
  await at.workspace.inResult('window.isBefore = true');
  await evaluate('preview.reload()');
  await at.workspace.untilInResult('window.isBefore', (isBefore) => isBefore === undefined);
  await at.workspace.untilInResult(
    'document.title + location.pathname + location.search',
    (is) => is === 'About/made/up?y=2',
  );
});

it('shows the target page of a form', async () => {
  await run(false);
  await at.workspace.inResult(`{
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/about.html' });
    document.body.append(form);
    form.submit();
  }`);
  await titleIs('About');
});

describe.each(bothTransports)('the network tool with the $transport transport', ({ isSrcdoc }) => {
  const requestOf = async (address: string, status?: number) => {
    const find = (seen: Awaited<ReturnType<typeof at.workspace.seen>>) =>
      seen.network.requests.find(
        (each) =>
          each.address === address &&
          each.duration !== null &&
          (status === undefined || each.status === status),
      );
    return find(await at.workspace.seenUntil((seen) => !!find(seen), `a request for ${address}`));
  };

  it('lists a script’s requests with location, headers and body', async () => {
    await run(isSrcdoc);
    await evaluate('preview.network.watch()');
    await at.workspace.edit({
      'main.js': `\nfetch('/data.json', { headers: { 'X-Mine': 'yes' } }).then((r) => r.text());`,
    });
    const seen = await requestOf('/data.json', 200);
    expect(seen).toMatchObject({ method: 'GET', kind: 'fetch', from: 'project' });
    expect(seen?.startedBy).toMatchObject({ path: 'main.js', line: 2 });
    const details = await evaluate(`preview.network.findDetails(${seen?.id})`);
    expect(details).toMatchObject({
      requestHeaders: [['x-mine', 'yes']],
      responseBody: { text: '{"count":3}' },
    });
  });

  it('delays, fails or answers requests that match a rule, until it is removed', async () => {
    await run(isSrcdoc);
    const ask = `fetch('/data.json').then((r) => 'status ' + r.status, (e) => e.name)`;
    const rule = (effect: string) =>
      evaluate(`preview.network.setRules([{ pattern: '/data.*', effect: ${effect} }])`);
    await rule(`{ kind: 'status', status: 503 }`);
    await at.workspace.untilInResult(ask, (said) => said === 'status 503');
    await rule(`{ kind: 'fail' }`);
    await at.workspace.untilInResult(ask, (said) => said === 'TypeError');
    await rule(`{ kind: 'wait', ms: 700 }`);
    const timed = `(async () => { const t = performance.now(); await fetch('/data.json'); return performance.now() - t })()`;
    await at.workspace.untilInResult(timed, (ms) => Number(ms) >= 690);
    await evaluate('preview.network.setRules([])');
    await at.workspace.untilInResult(timed, (ms) => Number(ms) < 690);
    await at.workspace.untilInResult(ask, (said) => said === 'status 200');
  });

  it('names the rule that failed a request', async () => {
    await run(isSrcdoc, {
      'index.html': files['index.html'].replace('<script', '<script type="module"'),
    });
    for (const [pattern, address] of [
      ['/data.*', '/data.json'],
      ['https://elsewhere.test/*', 'https://elsewhere.test/a'],
    ] as const) {
      await evaluate(
        `preview.network.setRules([{ pattern: '${pattern}', effect: { kind: 'fail' } }])`,
      );
      await at.workspace.untilInResult(
        `fetch('${address}').catch((error) => error.name)`,
        (said) => said === 'TypeError',
      );
      await at.workspace.edit({ 'main.js': `\nawait fetch('${address}');` });
      const { problems } = await at.workspace.seenUntil(
        (seen) => seen.problems.some(({ message }) => message.includes(`“${pattern}”`)),
        `the rule for ${pattern}`,
      );
      expect(problems).toMatchObject([
        {
          path: 'main.js',
          line: 2,
          message: `A request failed because of your network rule “${pattern}”.`,
        },
      ]);
    }
  });

  it('P-45 keeps 500 requests of a flood and counts the rest', async () => {
    await run(isSrcdoc);
    await evaluate('preview.network.watch()');
    // Until the tool has loaded, only resource timings are recorded, which are fewer.
    await at.workspace.untilInResult(
      'String(XMLHttpRequest.prototype.send).includes("[native code]")',
      (isNative) => isNative === false,
    );
    await at.workspace.inResult(
      `(async () => { for (let i = 0; i < 2000; i += 1) fetch('data:,' + i).catch(() => 0); for (let i = 0; i < 1200; i += 1) { const x = new XMLHttpRequest(); x.open('GET', '/none-' + i); x.send(); x.abort() } })()`,
    );
    const { network } = await at.workspace.seenUntil((seen) => seen.network.dropped > 600, 'drops');
    expect(network.requests.length).toBeLessThanOrEqual(500);
  });
});

describe.each(bothTransports)(
  'requests before recording, with the $transport transport',
  ({ isSrcdoc }) => {
    it('are listed: the page’s files, requests of scripts and styles, and missing files', async () => {
      await run(isSrcdoc, {
        'index.html': files['index.html']
          .replace('<script', '<script type="module"')
          .replace('</body>', '<img src="gone.png" alt=""><img src="mark.svg" alt=""></body>'),
        'style.css': 'h1 { background: url(none.png) }',
        'main.js': `import { name } from './lib.js';
const request = new XMLHttpRequest();
request.open('GET', 'more.json');
request.onload = async () => {
  await fetch('data.json');
  const { late } = await import('./late.js');
  document.title = name === '' ? await import('./never.js') : name + late;
};
request.send();`,
        'late.js': `export { late } from './later.js';`,
        'later.js': `export const late = ' late';`,
        'never.js': 'export default 1',
        'more.json': '{}',
        'lib.js': `export const name = 'asked';`,
        'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
      });
      await titleIs('asked late');
      await evaluate('preview.network.watch()');
      const { network } = await at.workspace.seenUntil((seen) => {
        const missing = seen.network.requests.filter(
          ({ status, hasFailed }) => status === 404 && hasFailed,
        );
        return missing.length === 2;
      }, 'what is missing');
      const list = network.requests.map(
        ({ address, kind, status }) => `${kind} ${address} ${status}`,
      );
      expect(list.sort()).toEqual([
        'fetch /data.json 200',
        'fetch /more.json 200',
        'image /gone.png 404',
        'image /mark.svg 200',
        'image /none.png 404',
        'page / 200',
        'script /late.js 200',
        'script /later.js 200',
        'script /lib.js 200',
        'script /main.js 200',
        'style /style.css 200',
      ]);
      expect(network.requests.map(({ from }) => from)).toEqual(Array(11).fill('project'));
    });

    it('include requests by a relative URL', async () => {
      await run(isSrcdoc);
      await evaluate(
        `preview.network.setRules([{ pattern: '/data.json', effect: { kind: 'status', status: 503 } }])`,
      );
      const ask = `fetch('data.json').then((r) => r.status)`;
      await at.workspace.untilInResult(ask, (status) => status === 503);
      await at.workspace.seenUntil(
        (seen) =>
          seen.network.requests.some(
            ({ address, status }) => address === '/data.json' && status === 503,
          ),
        'the request',
      );
    });
  },
);

it('applies rules to images and imports too, on an isolated origin', async () => {
  await run(false, {
    'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
  });
  await evaluate(`preview.network.setRules([{ pattern: '*.svg', effect: { kind: 'fail' } }])`);
  // A different URL each time, because a loaded image isn't requested again.
  const load = `new Promise((d) => { const i = new Image(); i.onload = () => d('loaded'); i.onerror = () => d('failed'); i.src = '/mark.svg?' + performance.now() })`;
  await at.workspace.untilInResult(load, (said) => said === 'failed');
  // The page knows the rules a moment later than the service worker.
  const show = `void document.body.append(Object.assign(new Image(), { src: '/mark.svg?' + performance.now() }))`;
  await pollUntil(
    async () => {
      await at.workspace.inResult(show);
      return at.workspace.seen();
    },
    ({ problems }) =>
      problems.some(
        ({ message }) => message === 'mark.svg failed because of your network rule “*.svg”.',
      ),
    'that it is the rule',
    10_000,
  );
  await evaluate(`preview.network.setRules([{ pattern: '/late.js', effect: { kind: 'fail' } }])`);
  await at.workspace.edit({ 'main.js': `\nimport('/late.js');`, 'late.js': 'export default 1' });
  await at.workspace.seenUntil(
    ({ problems }) =>
      problems.some(({ message }) =>
        message.endsWith('failed because of your network rule “/late.js”.'),
      ),
    'the rule of an import',
  );
  await evaluate('preview.network.setRules([])');
  await at.workspace.untilInResult(load, (said) => said === 'loaded');
});

describe.each(bothTransports)(
  'accessibility checks with the $transport transport',
  ({ isSrcdoc }) => {
    const page = (image: string) => `<!doctype html>
<html lang="en"><head><title>Page</title></head>
<body><main><h1>Page</h1>
  ${image}
</main></body></html>`;

    it('report issues with their line, and run again after an edit', async () => {
      await run(isSrcdoc, { 'index.html': page('<img id="cat" src="cat.png">') });
      await evaluate('preview.accessibility.watch(true)');
      const { accessibility } = await at.workspace.seenUntil(
        (seen) => seen.accessibility.status === 'checked',
        'findings',
      );
      expect(accessibility).toMatchObject({
        findings: [
          {
            rule: 'image-alt',
            impact: 'critical',
            elements: [
              { markup: '<img id="cat" src="cat.png">', path: 'index.html', line: 4, column: 3 },
            ],
          },
        ],
      });
      await at.workspace.edit({ 'index.html': page('<img id="cat" src="cat.png" alt="A cat">') });
      await at.workspace.seenUntil(
        ({ accessibility: report }) => report.status === 'checked' && report.findings.length === 0,
        'nothing found',
      );
    });

    it('report elements that respond to clicks and can’t be reached by keyboard', async () => {
      const html = `<div id="attribute" onclick="go()">Attribute</div>
  <div id="listener">Listener</div>
  <span id="property">Property</span>`;
      const script = `<script type="module">
      const $ = (id) => document.getElementById(id);
      $('listener').addEventListener('click', () => console.log('clicked'));
      $('property').onclick = () => console.log('clicked');
    </script>`;
      await run(isSrcdoc, { 'index.html': page(html + script) });
      await evaluate('preview.accessibility.watch(true)');
      const { accessibility } = await at.workspace.seenUntil(
        (seen) => seen.accessibility.status === 'checked',
        'findings',
      );
      expect(accessibility).toMatchObject({
        findings: [
          {
            rule: 'click-only-div',
            impact: 'critical',
            help: 'These div elements respond to clicks but can’t be reached by keyboard. Use buttons',
            elements: [
              { path: 'index.html', line: 4, column: 3 },
              { path: 'index.html', line: 5, column: 3 },
            ],
          },
          {
            rule: 'click-only-span',
            help: 'This span responds to clicks but can’t be reached by keyboard. Use a button',
            elements: [{ path: 'index.html', line: 6, column: 3 }],
          },
        ],
      });
    });

    it('ignore controls, delegated listeners and removed listeners', async () => {
      const cells = '<i>cell</i>'.repeat(16);
      const html = `<div style="cursor: pointer">looks clickable</div>
      <div class="on" role="button" tabindex="0">a control</div>
      <button class="on" type="button"><span class="on">in a control</span></button>
      <ul class="on"><li>delegated</li></ul>
      <div class="on">a card with <a href="#there" id="there">a link</a></div>
      <div class="on">${cells}</div>
      <div class="on" style="height: 100vh">the whole window</div>
      <div class="on" hidden>hidden</div>
      <div class="on" aria-hidden="true">a backdrop</div>
      <div class="on" style="pointer-events: none">out of reach</div>
      <label class="on">Name <input></label>
      <div id="stops">stops</div><div id="removed">removed</div><div id="aborted">aborted</div>
      <div id="once">once</div>
      <script type="module">
        const log = () => console.log('clicked');
        for (const each of document.querySelectorAll('.on')) each.addEventListener('click', log);
        for (const root of [document, document.body, window]) root.addEventListener('click', log);
        addEventListener('click', log);
        const $ = (id) => document.getElementById(id);
        $('stops').addEventListener('click', (event) => event.stopPropagation());
        $('removed').addEventListener('click', log);
        $('removed').removeEventListener('click', log);
        const ending = new AbortController();
        $('aborted').addEventListener('click', log, { signal: ending.signal });
        ending.abort();
        $('once').addEventListener('click', log, { once: true });
      </script>`;
      await run(isSrcdoc, { 'index.html': page(html) });
      await evaluate('preview.accessibility.watch(true)');
      const { accessibility } = await at.workspace.seenUntil(
        (seen) => seen.accessibility.status === 'checked',
        'findings',
      );
      expect(accessibility).toMatchObject({ status: 'checked', findings: [] });
    });

    it('highlight an element without changing the layout', async () => {
      await run(isSrcdoc, { 'index.html': page('<img id="cat" src="cat.png">') });
      await evaluate('preview.accessibility.watch(true)');
      await at.workspace.seenUntil((seen) => seen.accessibility.status === 'checked', 'findings');
      const height = await at.workspace.inResult('document.documentElement.scrollHeight');
      await evaluate('preview.accessibility.outline(0)');
      const boxes = `document.querySelectorAll('[popover]:popover-open').length`;
      await at.workspace.untilInResult(boxes, (count) => count === 1);
      expect(await at.workspace.inResult('document.documentElement.scrollHeight')).toBe(height);
      await evaluate('preview.accessibility.outline(null)');
      await at.workspace.untilInResult(boxes, (count) => count === 0);
      expect(await at.workspace.inResult('typeof window.axe')).toBe('undefined');
    });
  },
);

describe.each(bothTransports)('media emulation with the $transport transport', ({ isSrcdoc }) => {
  it('applies to stylesheets and scripts from the start', async () => {
    await run(isSrcdoc, {
      'style.css':
        'h1 { color: red } @media (prefers-color-scheme: dark) { h1 { color: rgb(9, 9, 9) } } @media (prefers-reduced-motion) { h1 { margin: 9px } }',
      'main.js': `document.body.dataset.dark = matchMedia('(prefers-color-scheme: dark)').matches;`,
    });
    await evaluate(`preview.setMediaEmulation({ colorScheme: 'dark', reducedMotion: true })`);
    const looks = `[document.body?.dataset.dark, getComputedStyle(document.querySelector('h1')).color, getComputedStyle(document.querySelector('h1')).marginTop].join()`;
    await at.workspace.untilInResult(looks, (is) => is === 'true,rgb(9, 9, 9),9px');
    await evaluate(`preview.setMediaEmulation({ colorScheme: 'light', reducedMotion: false })`);
    await at.workspace.untilInResult(looks, (is) => String(is).startsWith('false,rgb(255, 0, 0)'));
  });

  it('shows the color scheme’s canvas where the page paints none', async () => {
    await run(isSrcdoc, { 'style.css': ':root { color-scheme: light dark }' });
    await evaluate(`document.querySelector('#result').style.backgroundColor = 'rgb(9, 9, 9)'`);
    await evaluate(`preview.setMediaEmulation({ colorScheme: 'light', reducedMotion: false })`);
    await at.workspace.untilInResult(
      'getComputedStyle(document.documentElement).colorScheme',
      (scheme) => scheme === 'light',
    );
    await expect.poll(() => pixelAt(550, 350)).toBe('255,255,255,255');
  });
});

describe.each(bothTransports)('a poster with the $transport transport', ({ isSrcdoc }) => {
  const page = `<!doctype html><title>P</title><style>
@font-face { font-family: Dot; src: url(dot.woff2) }
body { margin: 0; background: rgb(0, 128, 0) } canvas, img { display: block; width: 100px; height: 100px }
</style><canvas></canvas><img src="blue.svg" alt=""><input type="password" value="x">
<script>
const canvas = document.querySelector('canvas').getContext('2d');
canvas.fillStyle = 'rgb(200, 0, 0)';
canvas.fillRect(0, 0, 999, 999);
addEventListener('load', () => (window.before = document.documentElement.outerHTML));
</script>`;
  const blue =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#0000c8"/></svg>';
  const take = () =>
    evaluate(`(async () => {
      const poster = await preview.takePoster();
      if (poster.status !== 'taken') return poster.status;
      const bitmap = await createImageBitmap(new Blob([poster.png], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].join();
      return { width: bitmap.width, height: bitmap.height, canvas: at(50, 50), image: at(50, 300),
        page: at(bitmap.width - 5, bitmap.height - 5) };
    })()`);

  it('covers 1280 × 800, has canvases and images, and leaves the page as it was', async () => {
    await run(isSrcdoc, { 'index.html': page, 'blue.svg': blue });
    expect(await take()).toEqual({
      width: 1280,
      height: 853,
      canvas: '200,0,0,255',
      image: '0,0,200,255',
      page: '0,128,0,255',
    });
    const after = await at.workspace.inResult('document.documentElement.outerHTML');
    expect(after).toBe(await at.workspace.inResult('window.before'));
  });

  it('isn’t taken of a large page, or one with stored data', async () => {
    await run(isSrcdoc, { 'index.html': page + '<b>1</b>'.repeat(1_000), 'blue.svg': blue });
    expect(await take()).toBe('failed');
    const stored = page.replace('<script>', '<script>localStorage.draft = "Dear diary";');
    await run(isSrcdoc, { 'index.html': stored, 'blue.svg': blue });
    expect(await take()).toBe('failed');
  });

  it.each([
    ['clicked', () => at.page.mouse.click(300, 300)],
    [
      'typed in',
      async () => {
        await at.workspace.inResult('document.querySelector("input").focus()');
        await at.page.keyboard.press('a');
      },
    ],
  ])('isn’t taken of a page that the user has %s', async (_, use) => {
    await run(isSrcdoc, { 'index.html': page, 'blue.svg': blue });
    await use();
    expect(await take()).toBe('failed');
  });
});

describe.each(bothTransports)('a screenshot with the $transport transport', ({ isSrcdoc }) => {
  it('is a PNG of the visible page, and lists what could not be drawn', async () => {
    await run(isSrcdoc, {
      'index.html':
        '<!doctype html><title>P</title><body style="margin:0;background:rgb(0,128,0)"><iframe srcdoc="x"></iframe>',
    });
    const taken = await evaluate(`(async () => {
      const picture = await preview.takeScreenshot();
      if (picture.status !== 'taken') return picture.status;
      const bitmap = await createImageBitmap(new Blob([picture.png], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const pixel = context.getImageData(bitmap.width - 5, bitmap.height - 5, 1, 1).data;
      return { width: bitmap.width, height: bitmap.height, pixel: [...pixel].join(), undrawn: picture.undrawn };
    })()`);
    expect(taken).toEqual({ width: 600, height: 400, pixel: '0,128,0,255', undrawn: ['1 frame'] });
  });
});
