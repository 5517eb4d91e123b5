import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';

const at = setUpChromium();

const page = '<!doctype html><title>Before</title><script type="module" src="main.js"></script>';

describe('a loop without an end, where the preview shares the process of this page', () => {
  /** As where nothing better is known of a browser: portable, on the app's own host. */
  const run = (files: Record<string, string>) =>
    at.workspace.run({
      files: { 'index.html': page, ...files },
      isPortable: true,
      sharesProcess: true,
    });

  it('is stopped at its line, and the page goes on', async () => {
    await run({
      'main.js': `setTimeout(() => (document.title = 'after'), 50);\nlet n = 0;\nwhile (true) {\n  n++;\n}\n`,
    });
    const { problems, missing } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems[0]).toMatchObject({ kind: 'error', path: 'main.js', line: 3 });
    expect(problems[0]?.sentence).toMatch(/ran for a second without a pause/);
    expect(missing).not.toMatch(/freeze/);
    await at.workspace.untilInResult('document.title', (title) => title === 'after');
  });

  it('is stopped in TypeScript, in an inline script and in recursion that never comes back', async () => {
    await run({
      'index.html': `<!doctype html>
<script>
function tree(n) { return n < 1 ? 1 : tree(n - 1) + tree(n - 1); }
</script>
<script>tree(90);</script><script type="module" src="main.ts"></script>`,
      'main.ts': `const steps: number[] = [];\nfor (let i: number = 0; ; i++)\n  steps[0] = i;\n`,
    });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length === 2);
    const places = problems.map(({ path, line }) => `${path}:${line}`);
    expect(places.toSorted()).toEqual(['index.html:3', 'main.ts:2']);
  });

  it('is no long loop that passes, no loop that waits, and none that a comment lets be', async () => {
    await run({
      'main.js': `let n = 0;
for (let i = 0; i < 3e6; i++) n++;
for (let turn = 0; turn < 12; turn++) {
  const end = performance.now() + 120;
  while (performance.now() < end) n++;
  await new Promise((resolve) => setTimeout(resolve));
}
document.title = 'done';`,
      'free.js': '',
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'done');
    await at.workspace.edit({
      'main.js': `// vitrine: no-guard
const end = performance.now() + 1300;
while (performance.now() < end);
document.title = 'free';`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'free');
    expect((await at.workspace.seen()).problems).toEqual([]);
  });
});

describe('SB-25 a preview that takes all it can get', () => {
  const bombs = {
    '500 frames': `for (let i = 0; i < 500; i++) {
  const frame = document.createElement('iframe');
  frame.srcdoc = '<p>' + i;
  document.body.append(frame);
}`,
    '200 workers': `const work = URL.createObjectURL(new Blob(['let a = []; for (;;) { a.push(1); if (a.length > 1e6) a = [] }']));
for (let i = 0; i < 200; i++) new Worker(work);`,
    '1.5 GB': `const kept = [];
for (let i = 0; i < 24; i++) kept.push(new Uint8Array(64 * 1024 * 1024).fill(i));
globalThis.kept = kept;
document.title = 'filled';`,
  };

  it.each(Object.entries(bombs))(
    '%s: this page stays, and the next run is well',
    async (_, bomb) => {
      const html =
        '<!doctype html><title>Before</title><body><script type="module" src="main.js"></script>';
      await at.workspace.run({ files: { 'index.html': html, 'main.js': '1' } });
      await at.page.evaluate('rig.measureGaps()');
      await at.workspace.edit({ 'main.js': bomb });
      // Until the page has shown what it is, or does not answer any more.
      await at.workspace.seenUntil(({ status }) => status === 'updating' || status === 'stalled');
      await at.workspace.seenUntil(({ status }) => status === 'running' || status === 'stalled');
      await at.page.evaluate('preview.stop()');
      await at.workspace.edit({ 'main.js': `document.title = 'well'` });
      await at.page.evaluate('preview.run()');
      await at.workspace.untilInResult('document.title', (title) => title === 'well', 20_000);
      expect((await at.workspace.seen()).longestGapMs).toBeLessThan(2_000);
    },
  );
});

describe('the service worker', () => {
  const files = {
    'index.html': '<!doctype html><title>One</title><p>One</p><script src="a.js"></script>',
    'a.js': 'document.body.dataset.a = "one"',
  };
  const losses = {
    'was unregistered': `navigator.serviceWorker.getRegistration().then((found) => found.unregister())`,
    'lost its caches': `caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))`,
    'lost both': `caches.keys()
      .then((names) => Promise.all(names.map((name) => caches.delete(name))))
      .then(() => navigator.serviceWorker.getRegistration())
      .then((found) => found.unregister())`,
  };

  it.each(Object.entries(losses))(
    'P-12 is back within 3 s of an edit when it %s',
    async (_, loss) => {
      await at.workspace.run({ files });
      await at.workspace.inResult(`(async () => { await ${loss}; })()`);
      const session = await at.context.newCDPSession(at.page);
      await session.send('ServiceWorker.enable');
      await session.send('ServiceWorker.stopAllWorkers');
      await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "two"' });
      await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'two', 3_000);
      await at.workspace.reach('running', 3_000);
    },
  );

  it('P-12 is back within 3 s when another one takes its place in the middle of an edit', async () => {
    await at.workspace.run({ files });
    at.rig.tamper = ({ pathname }, response) =>
      pathname === '/__vitrine/sw.js' ? withComment(response) : response;
    await at.workspace.inResult(
      `navigator.serviceWorker.getRegistration().then((found) => void found.update())`,
    );
    for (const letter of ['two', 'three', 'four'])
      await at.workspace.edit({ 'a.js': `document.body.dataset.a = "${letter}"` });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'four', 3_000);
    await at.workspace.reach('running', 3_000);
  });

  it('P-12 holds no edit up while the browser looks for another one without end', async () => {
    await at.workspace.run({ files });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const asked = Promise.withResolvers<void>();
    at.rig.tamper = ({ pathname }, response) => {
      if (pathname !== '/__vitrine/sw.js') return response;
      asked.resolve();
      return new Response(readable, response);
    };
    try {
      await at.workspace.inResult(
        `navigator.serviceWorker.getRegistration().then((found) => void found.update())`,
      );
      await asked.promise;
      for (const letter of ['two', 'three'])
        await at.workspace.edit({ 'a.js': `document.body.dataset.a = "${letter}"` });
      await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'three', 3_000);
    } finally {
      await writable.close();
    }
  });
});

/** The same script, as another version of it would come. */
function withComment(response: Response): Response {
  const comment = new TextEncoder().encode('\n// another version\n');
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({ flush: (end) => end.enqueue(comment) }),
  );
  return new Response(body, response);
}
