import { limits, toTextFiles } from '@vitrine/project';
import { beforeEach, expect, it } from 'vitest';
import { setUpChromium } from './rig/chromium.ts';
import { pollUntil } from './rig/workspace.ts';

const at = setUpChromium();

const files = { 'index.html': '<!doctype html><title>Card</title><h1>Card</h1>' };
const slugs = Array.from({ length: 20 }, (_, card) => `gallery${100 + card}`);

/** Running cards, in page order. */
const running = () =>
  at.page.evaluate(() =>
    [...window.gallery].flatMap(([slug, { state }]) => (state.status === 'running' ? slug : [])),
  );

const untilRunning = (wanted: (slugs: string[]) => boolean, what: string) =>
  pollUntil(running, wanted, what, 10_000);

beforeEach(async () => {
  for (const slug of slugs)
    at.rig.projects.set(slug, {
      id: slug,
      slug,
      revision: 1,
      isPrivate: false,
      files: toTextFiles(Object.entries(files)),
    });
  await at.page.goto(at.rig.appOrigin);
  await at.page.evaluate(
    ([names, texts]) => {
      for (const other of document.querySelectorAll('body > *')) other.remove();
      window.rig.startGallery(names, texts);
    },
    [slugs, files] as const,
  );
});

it('runs those of many previews that are in view, up to the limit', async () => {
  const first = slugs.slice(0, limits.maxRunningPreviews);
  await untilRunning((found) => found.join() === first.join(), 'the first cards');
  await at.page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  // They replace those that are out of view.
  const last = await untilRunning(
    (found) => found.length === limits.maxRunningPreviews && !found.includes(first.at(-1) ?? ''),
    'others',
  );
  expect(slugs.slice(-8)).toEqual(expect.arrayContaining(last));
  await at.page.evaluate(() => scrollTo(0, 0));
  await untilRunning((found) => first.some((slug) => found.includes(slug)), 'the first once more');
  expect(await at.page.locator('iframe:visible').count()).toBeLessThanOrEqual(
    limits.maxRunningPreviews,
  );
});

it('starts no preview that is scrolled past', async () => {
  const first = await untilRunning(
    ({ length }) => length === limits.maxRunningPreviews,
    'the first',
  );
  const meanwhile = await at.page.evaluate(async () => {
    const end = document.documentElement.scrollHeight - innerHeight;
    const begin = performance.now();
    for (let turn = 0; performance.now() - begin < 600; turn += 1) {
      scrollTo(0, end - (turn % 20));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return [...window.gallery].flatMap(([slug, { state }]) =>
      state.status === 'idle' ? [] : slug,
    );
  });
  expect(meanwhile).toEqual(first);
  await untilRunning((found) => !found.some((slug) => first.includes(slug)), 'others, at rest');
});
