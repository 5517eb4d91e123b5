/** What every browser must do with a preview, whatever its transport. */
import { describe, expect, it } from 'vitest';
import { bothTransports } from './transports.ts';
import type { TestWorkspace } from './workspace.ts';

/** A browser with the test app's page. */
export interface ContractBrowser {
  readonly workspace: TestWorkspace;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  /** WebKit runs previews in the app's process, and reports less. */
  readonly isWebKit: boolean;
}

const files = {
  'index.html': `<!doctype html>
<html lang="en"><head><title>Boids</title><link rel="stylesheet" href="css/style.css"></head>
<body><h1>Boids</h1><img id="mark" src="mark.svg" alt=""><script type="module" src="main.js"></script></body></html>`,
  'css/style.css': '@import "base.css";\nh1 { color: rgb(1, 1, 1) }',
  'css/base.css': 'h1 { margin: 7px }',
  'main.js': `import { name } from './lib/name.js';
document.body.dataset.name = name;
console.log('I am', name);`,
  'lib/name.js': `export const name = 'flock';`,
  'data.json': '{"count":3}',
  'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>',
};

/** Milliseconds between the last two states: from the fix to running. */
function lastStep(states: readonly { at: number }[]): number {
  return (states.at(-1)?.at ?? Infinity) - (states.at(-2)?.at ?? 0);
}

const color = `getComputedStyle(document.querySelector('h1')).color`;
const margin = `getComputedStyle(document.querySelector('h1')).marginTop`;

export function testContract(at: ContractBrowser): void {
  // Nothing can detect or end an infinite loop from outside, if it freezes the app’s page too.
  const onOwnProcess = it.skipIf(at.isWebKit);
  // Resource timings have no status in WebKit.
  const onStatus = it.skipIf(at.isWebKit);
  /** How `missing()` is reported. WebKit reports the end of the name. */
  const missing = at.isWebKit
    ? { message: "ReferenceError: Can't find variable: missing", offset: 'missing'.length }
    : { message: '“missing” is not defined.', offset: 0 };

  describe.each(bothTransports)('a preview with the $transport transport', ({ isSrcdoc }) => {
    const run = (more: Record<string, string> = {}) =>
      at.workspace.run({ files: { ...files, ...more }, isSrcdoc });

    it('runs modules, stylesheets with imports, and images of a draft', async () => {
      await run();
      await at.workspace.untilInResult('document.body.dataset.name', (name) => name === 'flock');
      expect(await at.workspace.inResult(`[${color}, ${margin}].join()`)).toBe('rgb(1, 1, 1),7px');
      await at.workspace.untilInResult(
        'document.querySelector("#mark").naturalWidth',
        (w) => w === 20,
      );
    });

    it('responds to a relative fetch with the file', async () => {
      await run({ 'main.js': `document.title = (await (await fetch('data.json')).json()).count` });
      await at.workspace.untilInResult('document.title', (title) => title === '3');
    });

    it('responds to a relative XMLHttpRequest with the file', async () => {
      await run({
        'main.js': `const request = new XMLHttpRequest();
request.open('GET', 'data.json');
request.responseType = 'json';
request.onload = () => { document.title = request.status + ' ' + request.response.count; };
request.send();`,
      });
      await at.workspace.untilInResult('document.title', (title) => title === '200 3');
    });

    it('P-03 shows a page that reloads itself', async () => {
      await run();
      await at.workspace.inResult('window.before = 1; location.reload()');
      await at.workspace.untilInResult(
        '[window.before, document.body?.dataset.name].join()',
        (shown) => shown === ',flock',
      );
    });

    it('replaces a stylesheet and keeps the document', async () => {
      await run();
      await at.workspace.inResult('window.before = 1');
      await at.workspace.edit({
        'css/style.css': '@import "base.css";\nh1 { color: rgb(2, 2, 2) }',
      });
      await at.workspace.untilInResult(color, (value) => value === 'rgb(2, 2, 2)');
      expect(await at.workspace.inResult(`[window.before, ${margin}].join()`)).toBe('1,7px');
    });

    it('replaces an imported stylesheet', async () => {
      await run();
      await at.workspace.inResult('window.before = 1');
      await at.workspace.edit({ 'css/base.css': 'h1 { margin: 9px }' });
      await at.workspace.untilInResult(margin, (value) => value === '9px');
      expect(await at.workspace.inResult(`[window.before, ${color}].join()`)).toBe(
        '1,rgb(1, 1, 1)',
      );
    });

    it('patches a page without scripts, including new styles and images', async () => {
      const page = (body: string) =>
        `<!doctype html><link rel="stylesheet" href="css/style.css"><style>p { margin: 1px }</style>${body}`;
      const plain = { ...files, 'index.html': page('<h1>One</h1>') };
      await at.workspace.run({ files: plain, isSrcdoc });
      await at.workspace.inResult('window.before = 1');
      await at.workspace.edit({
        'index.html': page('<h1>Two <b>bold</b></h1><img src="mark.svg">'),
        'css/style.css': 'h1 { color: rgb(2, 2, 2) }',
      });
      await at.workspace.untilInResult(
        `[document.querySelector('h1').textContent, ${color}, document.querySelector('img')?.naturalWidth].join()`,
        (shown) => shown === 'Two bold,rgb(2, 2, 2),20',
      );
      expect(await at.workspace.inResult('window.before')).toBe(1);
      await at.workspace.reach('running');
    });

    it('reloads a page that refers to a new file or a script', async () => {
      const page = (body: string) => `<!doctype html><title>Page</title>${body}`;
      await at.workspace.run({ files: { 'index.html': page('<h1>One</h1>') }, isSrcdoc });
      await at.workspace.edit({ 'late.svg': files['mark.svg'] });
      await at.workspace.edit({ 'index.html': page('<h1>One</h1><img src="late.svg">') });
      await at.workspace.untilInResult(
        `document.querySelector('img')?.naturalWidth`,
        (width) => width === 20,
      );
      await at.workspace.edit({ 'index.html': page('<script>document.title = "ran"</script>') });
      await at.workspace.untilInResult('document.title', (title) => title === 'ran');
    });

    it('runs an edited module in a clean document', async () => {
      await run();
      await at.workspace.inResult('window.before = 1');
      await at.workspace.edit({ 'lib/name.js': `export const name = 'herd';` });
      await at.workspace.untilInResult('document.body?.dataset.name', (name) => name === 'herd');
      expect(await at.workspace.inResult('window.before')).toBe(undefined);
      await at.workspace.reach('running');
    });

    it('keeps the last working version while a script has a syntax error, and reports its location', async () => {
      await run();
      await at.workspace.inResult('window.before = 1');
      await at.workspace.edit({ 'main.js': 'const a = 1;\nconst b = ;' });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
      expect(problems[0]).toMatchObject({ kind: 'syntax', path: 'main.js', line: 2, column: 11 });
      expect(await at.workspace.inResult('window.before')).toBe(1);
      await at.workspace.edit({ 'main.js': 'document.title = "good"' });
      await at.workspace.untilInResult('document.title', (title) => title === 'good');
      expect((await at.workspace.seen()).problems).toEqual([]);
    });

    it('shows the latest of many quick edits', async () => {
      await run();
      for (let count = 1; count <= 20; count += 1)
        await at.workspace.edit({ 'main.js': `document.title = 'edit ${count}'` });
      await at.workspace.untilInResult('document.title', (title) => title === 'edit 20');
      await at.workspace.reach('running');
      expect(await at.workspace.inResult('document.title')).toBe('edit 20');
    });

    it('reports log entries with their location', async () => {
      await run();
      const { lines } = await at.workspace.seenUntil((seen) => seen.lines.length > 0);
      expect(lines[0]).toMatchObject({
        method: 'log',
        path: 'main.js',
        line: 3,
        values: [
          { type: 'string', text: 'I am' },
          { type: 'string', text: 'flock' },
        ],
      });
    });

    it('reports uncaught errors and rejections with file, line and column', async () => {
      await run({ 'main.js': `\nPromise.reject(new Error('late'));\n  missing();` });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
      const error = problems.find(({ kind }) => kind === 'error');
      expect(error).toMatchObject({ path: 'main.js', line: 3, column: 3 + missing.offset });
      expect(error?.message).toBe(missing.message);
      expect(problems.find(({ kind }) => kind === 'rejection')?.message).toContain('late');
    });

    it.each([
      { what: 'a script', asks: '<script src="late.js"></script>', path: 'late.js' },
      { what: 'a module', asks: '<script type="module" src="/late.js"></script>', path: 'late.js' },
      {
        what: 'a file that a script fetches',
        asks: `<script>fetch('late.json').then((is) => is.json()).then((is) => { document.title = is.word; });</script>`,
        path: 'late.json',
      },
    ])('loads $what that was missing once it exists', async ({ asks, path }) => {
      await at.workspace.run({
        files: { 'index.html': `<!doctype html><title>Page</title>${asks}` },
        isSrcdoc,
      });
      await at.workspace.seenUntil((seen) => seen.problems.length > 0, 'what is missing');
      const text = path.endsWith('.json') ? '{"word":"late"}' : `document.title = 'late';`;
      await at.workspace.edit({ [path]: text });
      await at.workspace.untilInResult('document.title', (title) => title === 'late');
      await at.workspace.seenUntil((seen) => seen.problems.length === 0, 'nothing missing');
    });

    onStatus(
      'drops the diagnostic of a missing image that the page no longer refers to',
      async () => {
        const style = (name: string) => `h1 { background: url(../${name}.svg) }`;
        const page = (name: string) =>
          files['index.html'].replace('src="mark.svg"', `src="${name}.svg"`);
        await run({ 'index.html': page('makr'), 'css/style.css': style('flokc') });
        await at.workspace.seenUntil(({ problems }) => problems.length === 2);
        await at.workspace.inResult('window.before = 1');
        await at.workspace.edit({ 'css/style.css': style('mark') });
        await at.workspace.seenUntil(({ problems }) => problems.length === 1);
        expect(await at.workspace.inResult('window.before')).toBe(1);
        await at.workspace.edit({ 'index.html': page('mark') });
        await at.workspace.seenUntil(({ problems }) => problems.length === 0);
      },
    );

    onStatus('reports a stylesheet’s missing image and font with their location', async () => {
      await run({
        'css/style.css':
          '@font-face { font-family: Gone; src: url(gone.woff2) }\nh1 { font-family: Gone; background: url("../gone.png") }',
      });
      const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
      const locations = problems.map(({ message, path, line }) => `${path}:${line} ${message}`);
      expect(locations.sort()).toEqual([
        'css/style.css:1 Can’t find “css/gone.woff2”.',
        'css/style.css:2 Can’t find “gone.png”.',
      ]);
    });

    // WebKit hides all errors of an opaque document’s inline scripts: “Script error.”
    it.skipIf(at.isWebKit && isSrcdoc)(
      'reports the location of an error in an inline script on the first line',
      async () => {
        await run({ 'index.html': '<!doctype html><script>missing()</script>' });
        const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
        expect(problems[0]).toMatchObject({
          path: 'index.html',
          line: 1,
          column: 24 + missing.offset,
        });
      },
    );

    onOwnProcess('P-20 detects an unresponsive page and restarts it with the fix', async () => {
      await run();
      await at.workspace.page.evaluate('rig.measureGaps()');
      await at.workspace.edit({ 'main.js': 'for (;;);' });
      await at.workspace.reach('unresponsive');
      await at.workspace.edit({ 'main.js': 'document.title = "back"' });
      const { longestGapMs, states } = await at.workspace.reach('running');
      // Half a second times a margin of five; bench has the measured time.
      expect(lastStep(states)).toBeLessThan(2_500);
      await at.workspace.untilInResult('document.title', (title) => title === 'back');
      expect(longestGapMs).toBeLessThan(400);
    });

    onOwnProcess(
      'detects an infinite loop in a page’s first script without running it again',
      async () => {
        await run();
        const before = (await at.workspace.reach('running')).states.length;
        await at.workspace.edit({ 'index.html': '<!doctype html><script>for (;;);</script>' });
        const { states } = await at.workspace.reach('unresponsive', 10_000);
        expect(states.slice(before).map(({ status }) => status)).toEqual([
          'updating',
          'unresponsive',
        ]);
        await at.workspace.edit({ 'index.html': '<!doctype html><title>back</title>' });
        await at.workspace.untilInResult('document.title', (title) => title === 'back');
      },
    );

    onOwnProcess(
      'recovers from such a loop with a fix that comes before it is detected',
      async () => {
        await run();
        await at.workspace.edit({ 'index.html': '<!doctype html><script>for (;;);</script>' });
        await at.workspace.seenUntil(({ status }) => status === 'updating');
        await at.workspace.edit({ 'index.html': '<!doctype html><title>back</title>' });
        await at.workspace.untilInResult('document.title', (title) => title === 'back');
      },
    );

    onOwnProcess('recovers from an infinite loop in a page with unload handlers', async () => {
      await run({
        'main.js': `addEventListener('pagehide', () => {}); addEventListener('beforeunload', () => {})`,
      });
      await at.workspace.edit({
        'main.js': `addEventListener('pagehide', () => {}); addEventListener('beforeunload', () => {}); for (;;);`,
      });
      await at.workspace.reach('unresponsive', 4_000);
      await at.workspace.edit({ 'main.js': 'document.title = "back"' });
      expect(lastStep((await at.workspace.reach('running')).states)).toBeLessThan(1_500);
    });

    it('stops and runs again', async () => {
      await run();
      await at.workspace.page.evaluate('preview.stop()');
      await at.workspace.reach('stopped');
      expect(
        await at.workspace.page.evaluate(
          'document.querySelectorAll("iframe:not([style*=none])").length',
        ),
      ).toBe(0);
      await at.workspace.page.evaluate('preview.run()');
      await at.workspace.reach('running');
      await at.workspace.untilInResult('document.body?.dataset.name', (name) => name === 'flock');
    });

    it('runs the page that is shown again, and the entry page once that is gone', async () => {
      await run({
        'index.html': '<!doctype html><title>Home</title><a href="pages/about.html">About</a>',
        'pages/about.html': '<!doctype html><title>About</title>',
      });
      await at.workspace.inResult('document.querySelector("a").click()');
      await at.workspace.untilInResult('document.title', (title) => title === 'About');
      await at.workspace.inResult('document.title = "Left"');
      await at.workspace.page.evaluate('preview.run()');
      await at.workspace.untilInResult('document.title', (title) => title === 'About');
      await at.workspace.page.evaluate('preview.stop()');
      await at.workspace.page.evaluate(
        `rig.edit({ 'index.html': '<!doctype html><title>Home</title>' }, ['pages/about.html'])`,
      );
      await at.workspace.page.evaluate('preview.run()');
      await at.workspace.untilInResult('document.title', (title) => title === 'Home');
    });

    it('lists the pages of a project without one at the root, and opens the one that is chosen', async () => {
      const title = (name: string) => `<!doctype html><title>${name}</title>`;
      const files = { 'b/index.html': title('B'), 'a 2/index.html': title('A') };
      await at.workspace.start({ files, isSrcdoc });
      await at.workspace.reach('failed');
      expect(await at.workspace.page.evaluate('preview.listPages()')).toEqual([
        'a 2/index.html',
        'b/index.html',
      ]);
      await at.workspace.page.evaluate(`preview.navigate('/a%202/')`);
      await at.workspace.untilInResult('document.title', (shown) => shown === 'A');
      await at.workspace.page.evaluate('preview.run()');
      await at.workspace.untilInResult('document.title', (shown) => shown === 'A');
    });

    it('opens the only page of a project, wherever it is', async () => {
      const files = { 'demo/page.html': '<!doctype html><title>Demo</title>', 'readme.md': '# Hi' };
      await at.workspace.run({ files, isSrcdoc });
      await at.workspace.untilInResult('document.title', (title) => title === 'Demo');
    });

    it('follows a link to another page of the project, and edits that one', async () => {
      await run({
        'index.html': '<!doctype html><title>Home</title><a href="pages/about.html">About</a>',
        'pages/about.html': '<!doctype html><title>About</title><p>Old</p>',
      });
      await at.workspace.inResult('document.querySelector("a").click()');
      await at.workspace.untilInResult('document.title', (title) => title === 'About');
      await at.workspace.reach('running');
      await at.workspace.edit({
        'pages/about.html': '<!doctype html><title>About</title><p>New</p>',
      });
      await at.workspace.untilInResult(
        'document.querySelector("p")?.textContent',
        (text) => text === 'New',
      );
      expect(await at.workspace.inResult('document.title')).toBe('About');
    });

    it('keeps the scroll position over a reload', async () => {
      const tall = '<!doctype html><body style="height:5000px"><script src="a.js"></script>';
      await run({ 'index.html': tall, 'a.js': '1' });
      await at.workspace.inResult('scrollTo(0, 1234)');
      await at.workspace.untilInResult(
        'new Promise(r => setTimeout(() => r(scrollY), 150))',
        (y) => y === 1234,
      );
      await at.workspace.edit({ 'a.js': 'document.title = "again"' });
      await at.workspace.untilInResult('document.title', (title) => title === 'again');
      await at.workspace.untilInResult('scrollY', (y) => y === 1234);
    });

    it('leaves the keyboard focus to the editor until the user focuses the page', async () => {
      const { page } = at.workspace;
      await at.workspace.open();
      await page.evaluate('document.querySelector("textarea").focus()');
      await at.workspace.startHere({
        files: {
          'index.html':
            '<!doctype html><title>Form</title><input id="name" value="old"><script src="main.js"></script>',
          'main.js': `const name = document.querySelector('#name');
          name.focus();
          name.select();
          document.title = document.activeElement.id;
          addEventListener('focus', () => console.log('focused'));
          console.log('ready');`,
        },
        isSrcdoc,
      });
      await at.workspace.seenUntil(({ lines }) => lines.length === 1, 'the request for the focus');
      await at.type('typed');
      await at.workspace.until('document.querySelector("textarea").value', (is) => is === 'typed');
      await page.evaluate('document.querySelector("iframe").focus()');
      await at.workspace.seenUntil(({ lines }) => lines.length === 2, 'the focus');
      // In WebKit the input doesn't keep the focus, and the page itself gets the keys.
      if (at.isWebKit) return;
      await at.type('new');
      await at.workspace.untilInResult(
        '[document.title, document.querySelector("#name").value].join()',
        (is) => is === 'name,new',
      );
    });

    it('sleeps out of view and starts when it comes into view', async () => {
      await at.workspace.start({ files, isSrcdoc, startWhenVisible: true });
      await at.workspace.reach('running');
      await at.workspace.page.evaluate('preview.close()');
      await at.workspace.page.evaluate(
        'document.querySelector("#result").style.marginTop = "9000px"',
      );
      await at.workspace.startHere({ files, isSrcdoc, startWhenVisible: true });
      await at.workspace.seenUntil((seen) => seen.status === 'idle');
      await at.workspace.page.evaluate('document.querySelector("#result").scrollIntoView()');
      await at.workspace.reach('running');
    });
  });
}
