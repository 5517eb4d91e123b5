import { toTextFiles } from '@vitrine/project';
import { describe, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';

const at = setUpChromium();

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

  it.each([
    ['by its own script', (): Promise<unknown> => at.workspace.inResult('location.reload()')],
    ['by its host', (): Promise<unknown> => at.page.evaluate('preview.reload()')],
  ])('P-12 gets all files again from a saved page that is reloaded %s', async (_, reload) => {
    const slug = 'evictedone';
    const project = { id: slug, slug, revision: 1, isPrivate: false };
    at.rig.projects.set(slug, { ...project, files: toTextFiles(Object.entries(files)) });
    await at.workspace.run({ files, key: `edit--${slug}`, served: { revision: 1 } });
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "two"' });
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'two');
    await at.workspace.untilInResult('caches.keys().then(({ length }) => length)', (n) => n === 1);
    await at.workspace.inResult(losses['lost its caches']);
    const session = await at.context.newCDPSession(at.page);
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.stopAllWorkers');
    await at.workspace.inResult('(() => { window.isOld = true })()');
    await reload();
    await at.workspace.untilInResult(
      'window.isOld ?? document.body?.dataset.a',
      (a) => a === 'two',
      5_000,
    );
    await at.workspace.reach('running', 3_000);
  });

  it('P-12 recovers within 3 s when another one replaces it during an edit', async () => {
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

  it('P-12 delays no edit while the browser’s update check never ends', async () => {
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

  it('P-10 is installed once the network is back, with edits made before', async () => {
    const slug = 'networkgone';
    const project = { id: slug, slug, revision: 1, isPrivate: false };
    at.rig.projects.set(slug, { ...project, files: toTextFiles(Object.entries(files)) });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const asked = Promise.withResolvers<void>();
    at.rig.tamper = ({ pathname }, response) => {
      if (pathname !== '/__vitrine/sw.js') return response;
      asked.resolve();
      return new Response(readable, response);
    };
    await at.workspace.run({ files, key: `edit--${slug}`, served: { revision: 1 } });
    await asked.promise;
    await at.context.setOffline(true);
    await writable.abort().catch(() => undefined);
    await at.workspace.edit({ 'a.js': 'document.body.dataset.a = "two"' });
    // The compiler may have failed to load too.
    await at.workspace.seenUntil(
      ({ status, problems }) => status === 'updating' || problems.length > 0,
    );
    at.rig.tamper = undefined;
    await at.context.setOffline(false);
    await at.workspace.untilInResult('document.body?.dataset.a', (a) => a === 'two');
    await at.workspace.reach('running');
  });
});

/** The same script as a different version. */
function withComment(response: Response): Response {
  const comment = new TextEncoder().encode('\n// another version\n');
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({ flush: (end) => end.enqueue(comment) }),
  );
  return new Response(body, response);
}
