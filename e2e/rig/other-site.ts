/** Another site with one empty page, to test what it can find out about a URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from '@playwright/test';

/** Opens the other site's page in this browser, and closes the site after `work`. */
export async function withOtherSite(
  context: BrowserContext,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>Stranger</title><link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await work(page);
    await page.close();
  } finally {
    site.close();
    site.closeAllConnections();
  }
}

/**
 * Collects what a page can observe about a URL of another site, except timing. Runs in the page.
 */
export async function observeUrl(address: string) {
  const heard = (element: HTMLElement) =>
    new Promise<string>((resolve) => {
      for (const type of ['load', 'error'])
        element.addEventListener(type, () => resolve(type), { once: true });
      document.body.append(element);
    });
  const part = (name: string, attribute: string) =>
    heard(Object.assign(document.createElement(name), { [attribute]: address }));
  const ask = (init: RequestInit) =>
    fetch(address, init).then(
      ({ type, status }) => `${type} ${status}`,
      (error: unknown) => String(error),
    );
  const frame = document.createElement('iframe');
  frame.src = address;
  const framed = await heard(frame);
  const seen = {
    asked: await ask({ mode: 'no-cors', credentials: 'include' }),
    read: await ask({ credentials: 'include' }),
    parts: [
      await part('img', 'src'),
      await part('script', 'src'),
      await heard(
        Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address }),
      ),
      await part('video', 'src'),
    ],
    framed: [framed, frame.contentWindow?.length],
  };
  const sizes = performance
    .getEntriesByName(address)
    .map((entry) => entry.toJSON() as PerformanceResourceTiming)
    .map(({ initiatorType, transferSize, decodedBodySize, responseStatus, redirectStart }) =>
      [initiatorType, transferSize, decodedBodySize, responseStatus, redirectStart > 0].join(' '),
    );
  return { ...seen, sizes: sizes.toSorted() };
}

/** Response times in milliseconds of two URLs, requested in turn. Runs in the page. */
export async function measureResponseTimes({
  addresses,
  count,
}: {
  addresses: string[];
  count: number;
}) {
  const times: number[][] = addresses.map(() => []);
  for (let at = 0; at < count; at += 1)
    for (const [side, address] of addresses.entries()) {
      const from = performance.now();
      await fetch(address, { mode: 'no-cors', credentials: 'include', cache: 'no-store' }).catch(
        () => undefined,
      );
      times[side]?.push(performance.now() - from);
    }
  return times;
}

/** Success rate of guessing that the slower of two responses is the second URL's; 0.5 by chance. */
export function getGuessAccuracy([first = [], second = []]: readonly number[][]): number {
  const points = first.flatMap((a) => second.map((b) => (b > a ? 1 : b === a ? 0.5 : 0)));
  return points.reduce<number>((sum, point) => sum + point, 0) / points.length;
}
