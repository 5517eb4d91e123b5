import { toTextFiles } from '@vitrine/project';
import type { Frame } from '@playwright/test';
import { beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../src/permissions.ts';
import { setUpChromium } from './rig/chromium.ts';
import { pollUntil } from './rig/workspace.ts';

const at = setUpChromium();
const names = permissions.map(({ name }) => name);
/** Features that the document has, of those that users can allow. */
const allowed = `'${names.join()}'.split(',').filter((name) => document.featurePolicy.allowsFeature(name)).join()`;
const other = () => `http://other.localhost:${at.rig.port}`;

const files = {
  'index.html': '<!doctype html><title>Page</title><a href="next.html">next</a>',
  'next.html': '<!doctype html><title>Next</title>',
};

/** Allows these permissions, as the app does once the user has, and waits until the page has them. */
async function allow(...next: string[]): Promise<void> {
  await at.page.evaluate(`preview.setPermissions(new Set(${JSON.stringify(next)}))`);
  await at.workspace.untilInResult(allowed, (now) => now === next.join());
}

const blankPage = () =>
  new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } });

async function findFrame(url: string): Promise<Frame> {
  const find = () => Promise.resolve(at.page.frames().find((frame) => frame.url().startsWith(url)));
  const frame = await pollUntil(find, (found) => found !== undefined, url, 5_000);
  if (!frame) throw new Error(`no frame ${url}`);
  await frame.waitForLoadState();
  return frame;
}

describe('SB-30 permissions', () => {
  beforeAll(() => {
    const page = '<!doctype html><title>Saved</title>';
    const project = { id: 'savedpage1', slug: 'savedpage1', revision: 1, isPrivate: false };
    at.rig.projects.set(project.slug, {
      ...project,
      files: toTextFiles([['index.html', page]]),
    });
  });

  it.each([
    ['live copy', {}],
    ['live copy of a saved page', { key: 'edit--savedpage1', served: { revision: 1 } }],
  ])('a %s has what the user allowed, and nothing after that is revoked', async (_, options) => {
    await at.workspace.run({ files, ...options });
    expect(await at.workspace.inResult(allowed)).toBe('');
    await allow('camera');
    await allow('camera', 'geolocation');
    await at.workspace.inResult(`void location.reload()`);
    await at.workspace.untilInResult(allowed, (now) => now === 'camera,geolocation');
    await allow();
  });

  it('are revoked without running edits that wait to be run', async () => {
    await at.workspace.run({ files });
    await allow('camera');
    await at.page.evaluate(`preview.setRunMode('hand')`);
    await at.workspace.edit({ 'index.html': '<!doctype html><title>Edited</title>' });
    await allow();
    const isShown = (title: unknown) => title === 'Page' || title === 'Edited';
    expect(await at.workspace.untilInResult('document.title', isShown)).toBe('Page');
    await at.page.evaluate('preview.run()');
    await at.workspace.untilInResult('document.title', (title) => title === 'Edited');
  });

  it('belong to the project’s own pages, not to frames of other origins', async () => {
    at.rig.tamper = ({ host }, response) => (host.startsWith('other.') ? blankPage() : response);
    await at.workspace.run({ files });
    await allow(...names);
    await at.workspace.inResult(`{
      for (const src of ['/next.html', '${other()}/']) {
        const frame = document.createElement('iframe');
        frame.allow = '${names.map((name) => `${name} *`).join('; ')}';
        frame.src = src;
        document.body.append(frame);
      }
    }`);
    const own = new URL(String(await at.workspace.inResult('location.href'))).origin;
    expect(await (await findFrame(`${own}/next.html`)).evaluate(allowed)).toBe(names.join());
    expect(await (await findFrame(other())).evaluate(allowed)).toBe('');
  });

  it('are gone when the page navigates its frame to another origin', async () => {
    at.rig.tamper = (address, response) => {
      // The app's own policy would block the other page.
      if (address.origin === at.rig.appOrigin) response.headers.delete('Content-Security-Policy');
      return address.host.startsWith('other.') ? blankPage() : response;
    };
    await at.workspace.run({ files });
    await allow(...names);
    await at.workspace.inResult(`void location.assign('${other()}/')`);
    expect(await (await findFrame(other())).evaluate(allowed)).toBe('');
  });

  it('reach a saved page once it is reloaded', async () => {
    await at.workspace.run({ files, key: 'savedpage1', served: { revision: 1 } });
    const url = `http://savedpage1.vitrine.localhost:${at.rig.port}/`;
    const find = () => at.page.frames().findLast((frame) => frame.url().startsWith(url));
    for (const next of [['camera'], ['camera', 'geolocation'], []]) {
      await at.page.evaluate(`preview.setPermissions(new Set(${JSON.stringify(next)}))`);
      // A driver never responds for a frame that is removed.
      const read = () =>
        Promise.race([
          find()
            ?.evaluate(allowed)
            .catch(() => undefined),
          at.page.waitForTimeout(200),
        ]);
      await pollUntil(read, (now) => now === next.join(), next.join(), 5_000);
    }
  });

  it('aren’t those of another project, whatever it has stored', async () => {
    await at.workspace.run({ files });
    await allow(...names);
    await at.workspace.run({ files, key: 'draft--two' });
    expect(await at.workspace.inResult(allowed)).toBe('');
    await at.workspace.inResult(
      `void localStorage.setItem('permissions-guest', '[["two",["camera"]]]'); void location.reload()`,
    );
    await at.workspace.reach('running');
    await at.workspace.untilInResult(allowed, (now) => now === '');
  });

  it.each(['/', '/?__vitrine-for=iframe'])(
    'aren’t given to a live copy in a tab of its own at %s',
    async (path) => {
      await at.workspace.run({ files });
      await allow(...names);
      await at.workspace.inResult('navigator.serviceWorker.ready.then(() => {})');
      const tab = await at.context.newPage();
      await tab.goto(`http://draft--one.vitrine.localhost:${at.rig.port}${path}`);
      expect(await tab.title()).toBe('Page');
      expect(await tab.evaluate(allowed)).toBe('');
      await tab.close();
    },
  );

  it.each(['/', '/?__vitrine-for=iframe'])(
    'aren’t given to a saved page in a tab of its own at %s',
    async (path) => {
      const tab = await at.context.newPage();
      await tab.goto(`http://savedpage1.vitrine.localhost:${at.rig.port}${path}`);
      await tab.getByRole('link', { name: 'Continue to the page' }).click();
      await tab.waitForFunction('document.title === "Saved"');
      expect(await tab.evaluate(allowed)).toBe('');
      await tab.close();
    },
  );

  it('can’t be had with the srcdoc transport, which says so', async () => {
    await at.workspace.run({ files, isSrcdoc: true });
    await at.page.evaluate(`preview.setPermissions(new Set(['geolocation']))`);
    await at.workspace.reach('running');
    expect(await at.page.locator('iframe').last().getAttribute('allow')).not.toContain(
      'geolocation',
    );
    const ask = `new Promise((done) => navigator.geolocation.getCurrentPosition(done, ({ code }) => done(code)))`;
    expect(await at.workspace.inResult(ask)).toBe(1);
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems).toMatchObject([
      {
        kind: 'permission',
        permission: 'geolocation',
        canAllow: false,
        message:
          'Pages can’t see the location here: in this browser, previews have no origin of their own.',
      },
    ]);
  });
});

describe('a refused permission', () => {
  const script = (code: string) => ({
    'index.html': '<!doctype html><title>Page</title><script src="script.js"></script>',
    'script.js': code,
  });
  const message = (use: string) =>
    `The page tried to ${use}. You haven’t allowed that for this project.`;

  it('is one problem with its line, whether the page handles it or not', async () => {
    await at.workspace.run({
      files: script('\nnavigator.clipboard.readText()'),
    });
    const { problems, lines } = await at.workspace.seenUntil(
      (seen) => seen.problems.length > 0 && seen.lines.length > 0,
    );
    expect(problems.map((each) => [each.message, each.path, each.line])).toEqual([
      [message('read the clipboard'), 'script.js', 2],
    ]);
    // The console has the page's own error.
    expect(lines).toHaveLength(1);
    await at.workspace.run({
      files: script(`navigator.geolocation.getCurrentPosition(() => {}, () => {});
        navigator.clipboard.readText().catch(() => {});
        navigator.requestMIDIAccess().catch(() => {});
        navigator.wakeLock.request('screen').catch(() => {});`),
    });
    const handled = await at.workspace.seenUntil((seen) => seen.problems.length === 4);
    expect(
      handled.problems
        .map((each) => `${each.message} ${each.line}`)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual([
      `${message('keep the screen on')} 4`,
      `${message('read the clipboard')} 2`,
      `${message('see the location')} 1`,
      `${message('use MIDI devices')} 3`,
    ]);
  });

  it('is also reported when the page sees that it is denied and doesn’t ask', async () => {
    await at.workspace.run({ files: script(`navigator.permissions.query({ name: 'camera' })`) });
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems.map((each) => each.message)).toEqual([message('use the camera')]);
  });

  it('is the page’s own error if the user has allowed it and the browser refuses', async () => {
    await at.context.grantPermissions([]);
    await at.workspace.run({ files: script('') });
    await at.page.evaluate(`preview.setPermissions(new Set(['geolocation', 'camera']))`);
    await at.workspace.untilInResult(allowed, (now) => now === 'camera,geolocation');
    await at.workspace.inResult(
      `void navigator.mediaDevices.getUserMedia({ video: true }); void 0`,
    );
    const { problems } = await at.workspace.seenUntil((seen) => seen.problems.length > 0);
    expect(problems.map((each) => each.kind)).toEqual(['rejection']);
  });

  it('leaves the calls as the browser has them', async () => {
    await at.workspace.run({ files });
    expect(
      await at.workspace.inResult(`[
        MediaDevices.prototype.getUserMedia.name,
        Object.getOwnPropertyDescriptor(Clipboard.prototype, 'readText').enumerable,
        navigator.geolocation.getCurrentPosition.length,
      ]`),
    ).toEqual(['getUserMedia', true, 1]);
    const thrown = `(() => { try { navigator.geolocation.getCurrentPosition(() => {}, 5) } catch (error) { return error.name } })()`;
    expect(await at.workspace.inResult(thrown)).toBe('TypeError');
    const rejected = `Clipboard.prototype.readText.call({}).catch(({ name }) => name)`;
    expect(await at.workspace.inResult(rejected)).toBe('TypeError');
  });
});
