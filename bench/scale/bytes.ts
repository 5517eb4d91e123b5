/**
 * The transferred script bytes when a public project is opened for the first time: those that its
 * page names (`start`), until it renders, after ten seconds, and until the first edit of a TSX file
 * renders.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page, Response } from 'playwright-core';
import type { Count, Counted } from '../bench.ts';
import { withBaseline } from '../workspace/index.ts';
import { newContext } from '../workspace/typing.ts';
import { createBenchAccount } from './account.ts';

const page = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Bytes</title><link rel="stylesheet" href="style.css"></head><body><h1>Bytes 1</h1><script type="module" src="${script}"></script></body></html>`;

const plain = new Map([
  ['index.html', page('script.js')],
  ['style.css', 'h1 { color: teal }'],
  ['script.js', 'document.documentElement.dataset.n = 1'],
]);

const typed = new Map([
  ['index.html', page('script.tsx')],
  ['style.css', 'h1 { color: teal }'],
  [
    'script.tsx',
    `/** @jsxRuntime classic @jsx read */ const n = 1
type Show = () => number;
const read = (show: Show) => show();
const Shown: Show = () => n;
document.documentElement.dataset.n = String(<Shown />);
`,
  ],
]);

async function countAll(): Promise<Counted[]> {
  const counted: Counted[] = [];
  await withBaseline(async (browser, workspace) => {
    const account = await createBenchAccount(await newContext(browser), workspace);
    const [plainAt, typedAt] = [await account.save(plain), await account.save(typed)];
    // An extra round, because the first one starts processes and compiles.
    await (await open(await newContext(browser), plainAt)).page.context().close();
    const first = await open(await newContext(browser), plainAt);
    counted.push(await first.count('bytes/shown'));
    await delay(10_000);
    counted.push(await first.count('bytes/after-10-s'));
    counted.push(await first.count('bytes/start', first.named));
    const second = await open(await newContext(browser), typedAt);
    await editTyped(second.page);
    counted.push(await second.count('bytes/first-tsx-edit'));
    return { sample: [], baseline: [] };
  });
  return counted;
}

interface Opened {
  readonly page: Page;
  /** URL paths of the scripts that the server's page loads, deferred or at once. */
  readonly named: ReadonlySet<string>;
  /** Counts all scripts so far, or of those with these paths. */
  count(name: string, paths?: ReadonlySet<string>): Promise<Counted>;
}

/** Opens the project and waits until it renders. */
async function open(context: BrowserContext, address: string): Promise<Opened> {
  const responses: Response[] = [];
  context.on('response', (response) => responses.push(response));
  const opened = await context.newPage();
  const document = await opened.goto(address, { waitUntil: 'commit' });
  await opened.waitForFunction(() => window.typing?.shownMs !== undefined);
  return {
    page: opened,
    named: findNamedScripts((await document?.text()) ?? ''),
    async count(name, paths) {
      const sizes = await Promise.all(responses.filter(isOurScript).map(sizeOf));
      const scripts = sizes.filter(({ path }) => paths?.has(path) ?? true);
      scripts.sort((a, b) => b.kB - a.kB);
      return { name, kB: scripts.reduce((sum, { kB }) => sum + kB, 0), parts: scripts };
    },
  };
}

function findNamedScripts(html: string): Set<string> {
  const links = html.match(/<link\b[^>]*\brel="(?:deferred|modulepreload)"[^>]*>/g) ?? [];
  return new Set(links.flatMap((link) => /\bhref="([^"]+)"/.exec(link)?.[1] ?? []));
}

/** Whether a response is one of our scripts, not the project's. */
function isOurScript(response: Response): boolean {
  const type = response.headers()['content-type'] ?? '';
  const { pathname } = new URL(response.url());
  return /javascript|wasm/.test(type) && /^\/(?:assets|__vitrine)\//.test(pathname);
}

async function sizeOf(response: Response): Promise<Counted['parts'][number]> {
  const { responseBodySize } = await response.request().sizes();
  return { path: new URL(response.url()).pathname, kB: responseBodySize / 1000 };
}

async function editTyped(opened: Page): Promise<void> {
  await opened.getByRole('tab', { name: 'script.tsx', exact: true }).click();
  await opened.getByRole('textbox', { name: 'Editor: script.tsx' }).click();
  await opened.keyboard.press('ControlOrMeta+Home');
  await opened.keyboard.press('End');
  await opened.evaluate(() => window.typing.expect(11));
  await opened.keyboard.press('1');
  await opened.waitForFunction(() => window.typing.samples.length > 0);
}

export const counts: readonly Count[] = [{ name: 'bytes', count: countAll }];
