import { describe, expect, it } from 'vitest';
import { setUpChromium } from '../rig/chromium.ts';
import { bothTransports } from '../rig/transports.ts';

const at = setUpChromium();

const page = (heading: string) =>
  `<!doctype html><html lang="en"><title>Home</title><link rel="stylesheet" href="style.css"><h1>${heading}</h1><script src="main.js"></script>`;
const files = {
  'index.html': page('First'),
  'style.css': 'html, body { color: rgb(1, 2, 3) }',
  'main.js': 'document.body.dataset.ran = 1',
};

/** Opens DevTools beside a running preview and records its states. */
const open = () =>
  at.page.evaluate(`{
    const element = document.createElement('div');
    element.style.cssText = 'position: fixed; inset: 400px 0 0; display: grid';
    document.body.append(element);
    rig.states = [];
    rig.devtools = preview.devtools.open({ element, theme: 'light', onState: ({ status }) => rig.states.push(status) });
  }`);
const frontEnd = () => at.page.frameLocator('iframe[title="DevTools"]');
const stylesShow = (rule: string) =>
  expect
    .poll(() => frontEnd().locator('.styles-section').allInnerTexts(), { timeout: 15_000 })
    .toContainEqual(expect.stringContaining(rule));
const treeShows = (heading: string) =>
  expect
    .poll(() => frontEnd().getByRole('tree', { name: 'Page DOM' }).innerText(), {
      timeout: 15_000,
    })
    .toContain(heading);

describe.each(bothTransports)('DevTools with the $transport transport', ({ isSrcdoc }) => {
  it('P-50 P-51 shows the elements of the page and of the next one, and sends requests only to us', async () => {
    const asked: string[] = [];
    const errors: string[] = [];
    at.context.on('request', (request) => asked.push(new URL(request.url()).hostname));
    at.page.on('console', (said) => said.type() === 'error' && errors.push(said.text()));
    at.page.on('pageerror', ({ message }) => errors.push(message));
    await at.workspace.run({ files, isSrcdoc });
    await open();
    await treeShows('First');
    await at.workspace.edit({ 'index.html': page('Second') });
    await treeShows('Second');
    await stylesShow('html, body');
    expect(await at.page.evaluate('rig.states')).toEqual(['shown']);
    expect(asked.filter((host) => !/(^|\.)localhost$|^127\.0\.0\.1$|^$/.test(host))).toEqual([]);
    expect(errors).toEqual([]);
    const storage = await at.page
      .frames()
      .find((frame) => frame.url().includes('/__vitrine/devtools'))
      ?.evaluate(() => [self.origin === 'null', localStorage instanceof Storage]);
    expect(storage).toEqual([isSrcdoc, !isSrcdoc]);
  });
});

it('P-50 rejects another window that claims to be DevTools', async () => {
  await at.workspace.run({ files });
  await open();
  await treeShows('First');
  await at.page.evaluate(
    `addEventListener('message', ({ data }) => { rig.heard ||= data?.shown?.kind === 'devtools' })`,
  );
  const result = at.page.frameLocator('iframe[title="Result"]').locator('body');
  await result.evaluate((_, app) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      if (data.type === 'devtools') localStorage['taken'] = 'yes';
    };
    const hello = { vitrine: 'hello', protocol: 2, shown: { kind: 'devtools' }, path: '' };
    top?.postMessage(hello, app, [port2]);
  }, at.rig.appOrigin);
  await at.workspace.until('rig.heard', (heard) => heard === true);
  await at.page.evaluate(`rig.devtools.setTheme('dark')`);
  await expect
    .poll(() => frontEnd().locator('html').getAttribute('class'))
    .toContain('-theme-with-dark-background');
  expect(await result.evaluate(() => localStorage.getItem('taken'))).toBe(null);
});
