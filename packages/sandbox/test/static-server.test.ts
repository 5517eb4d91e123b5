/** What a page finds and does, as a plain static server has it, on both paths. */
import type { Dialog } from '@playwright/test';
import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { bothPaths } from './rig/paths.ts';

const at = setUpChromium({ sharesPage: true });

describe.each(bothPaths)('a page on the $path path', ({ isPortable }) => {
  const run = (files: Record<string, string>) => at.workspace.run({ files, isPortable });

  describe('has no element of ours', () => {
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

    it('in a page that comes after an edit', async () => {
      const page = (title: string) => `<!doctype html><title>${title}</title>
<script id="mine">document.body?.remove(); document.title += document.scripts.length + document.querySelector('script').id</script>`;
      await run({ 'index.html': page('one') });
      await at.workspace.untilInResult('document.title', (title) => title === 'one1mine');
      await at.workspace.edit({ 'index.html': page('two') });
      await at.workspace.untilInResult('document.title', (title) => title === 'two1mine');
    });

    it('also where a tool is loaded', async () => {
      await run({
        'index.html': `<!doctype html><title>t</title><script id="first" src="look.js"></script><p>x`,
        'look.js': look,
      });
      await at.workspace.reach('running');
      await at.page.evaluate('preview.takePicture?.()');
      await at.page.evaluate('preview.watchNetwork?.()');
      await at.workspace.reach('running');
      const scripts = 'Array.from(document.scripts, (script) => script.id || script.src).join()';
      await at.workspace.untilInResult(scripts, (ids) => ids === 'first');
    });
  });

  it('has no names of ours among its globals', async () => {
    await run({
      'index.html': `<!doctype html><title>t</title><body><script>
const names = Object.keys(window);
for (const name in window) names.push(name);
// Those of a browser begin with a letter.
document.title = 'extra:' + names.filter((name) => /^_|vitrine/i.test(name)).join();
</script>`,
    });
    await at.workspace.untilInResult('document.title', (title) => title === 'extra:');
  });

  describe('with handlers of beforeunload', () => {
    const asking = `(event) => { event.preventDefault(); event.returnValue = 'x'; }`;
    const script = `addEventListener('beforeunload', ${asking});
addEventListener('beforeunload', ${asking}, true);
onbeforeunload = () => 'stay';
addEventListener('pagehide', () => { name += 'h'; });
addEventListener('unload', () => { location.href = 'other.html'; });
self.navigation?.addEventListener('navigate', (event) => event.navigationType !== 'reload' && event.cancelable && event.preventDefault());`;
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

    it('is shown anew, stopped and run again without a question, and asks for itself', async () => {
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
      await at.page.evaluate(`preview.visit('/other.html')`);
      await at.workspace.untilInResult(
        'document.querySelector("p")?.textContent',
        (is) => is === 'other',
      );
      await at.page.evaluate(`preview.visit('/index.html')`);
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
      // What the page does by itself may ask.
      await at.workspace.inResult(`void setTimeout(() => location.reload())`);
      await expect.poll(() => dialogs).toContain('beforeunload');
      at.page.off('dialog', hear);
    });
  });
});
