import { describe, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { bothTransports } from './rig/transports.ts';
import { textsOf } from './rig/lines.ts';

const at = setUpChromium({ sharesPage: true });

const page = (script: string) =>
  `<!doctype html><html><head><title>Shop</title></head><body><script>${script}</script></body></html>`;

/** Ways in which a page handles its own errors, so that a browser's console logs nothing. */
const handled = {
  'an error, by preventDefault': `addEventListener('error', (event) => event.preventDefault());
setTimeout(() => { throw new Error('expected'); });`,
  'an error, by preventDefault in a capturing listener': `addEventListener('error', (event) => event.preventDefault(), true);
setTimeout(() => { throw new Error('expected'); });`,
  'an error, by window.onerror': `window.onerror = () => true;
setTimeout(() => { throw new Error('expected'); });`,
  'an error, by a listener that stops the event': `addEventListener('error', (event) => { event.preventDefault(); event.stopImmediatePropagation(); });
setTimeout(() => { throw new Error('expected'); });`,
  'a reported error': `onerror = () => true;
reportError(new Error('expected'));`,
  'a rejection, by preventDefault': `addEventListener('unhandledrejection', (event) => event.preventDefault());
Promise.reject(new Error('expected'));`,
  'a rejection, by window.onunhandledrejection': `onunhandledrejection = (event) => event.preventDefault();
Promise.reject(new Error('expected'));`,
  'a rejection, by a listener that is added later': `setTimeout(() => {
  addEventListener('unhandledrejection', (event) => event.preventDefault());
  Promise.reject(new Error('expected'));
});`,
};

describe.each(bothTransports)(
  'errors that a page handles, with the $transport transport',
  ({ isSrcdoc }) => {
    const run = (script: string) =>
      at.workspace.run({ files: { 'index.html': page(script) }, isSrcdoc });

    it.each(Object.keys(handled))('doesn’t report %s', async (what) => {
      await run(`${handled[what as keyof typeof handled]}
setTimeout(() => setTimeout(() => console.log('done'), 50));`);
      const { lines, problems } = await at.workspace.seenUntil((seen) => seen.lines.length > 0);
      expect(textsOf(lines)).toEqual(['done']);
      expect(problems).toEqual([]);
    });

    it('reports errors that listeners see and leave unhandled', async () => {
      await run(`onerror = () => false;
addEventListener('error', (event) => event.stopImmediatePropagation());
addEventListener('unhandledrejection', () => {});
setTimeout(() => { throw new Error('thrown'); });
Promise.reject(new Error('rejected'));`);
      const { problems } = await at.workspace.seenUntil(
        (seen) => seen.problems.length === 2 && seen.lines.length === 2,
      );
      expect(problems.map(({ kind, line }) => `${kind} ${line}`).sort()).toEqual([
        'error 4',
        'rejection 5',
      ]);
    });

    it('removes a rejection that is handled a moment later', async () => {
      await run(`const late = Promise.reject(new Error('late'));
const never = Promise.reject(new Error('never'));
globalThis.handle = () => { late.catch(() => {}); };`);
      await at.workspace.seenUntil((seen) => seen.problems.length === 2 && seen.lines.length === 2);
      await at.workspace.inResult('handle()');
      const { problems, lines } = await at.workspace.seenUntil(
        (seen) => seen.problems.length === 1 && seen.lines.length === 1,
      );
      expect(problems[0]?.message).toContain('never');
      expect(textsOf(lines)).toEqual([expect.stringContaining('never')]);
    });

    it('removes one of several equal rejections at a time', async () => {
      await run(`const fail = () => Promise.reject(new Error('late'));
const all = [1, 2, 3].map(fail);
globalThis.handle = () => all.pop().catch(() => {});`);
      await at.workspace.seenUntil(({ lines }) => lines[0]?.count === 3);
      await at.workspace.inResult('handle()');
      const { problems } = await at.workspace.seenUntil(({ lines }) => lines[0]?.count === 2);
      expect(problems).toHaveLength(1);
      await at.workspace.inResult('handle(), handle()');
      await at.workspace.seenUntil((seen) => seen.lines.length + seen.problems.length === 0);
    });
  },
);
