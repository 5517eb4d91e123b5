import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coalesce } from '../../app/schedule.ts';

let shownAt: number[];
let start: number;
let page: EventTarget & { hidden: boolean };
beforeEach(() => {
  vi.useFakeTimers();
  shownAt = [];
  start = performance.now();
  page = Object.assign(new EventTarget(), { hidden: false });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Types characters, some milliseconds apart, into a text of this length, then pauses. */
async function type(
  letters: number,
  { apartMs, length }: { apartMs: number; length: number },
): Promise<void> {
  const life = new AbortController();
  const show = coalesce(
    () => shownAt.push(performance.now() - start),
    () => length,
    life.signal,
    page,
  );
  for (let letter = 0; letter < letters; letter += 1) {
    if (letter > 0) vi.advanceTimersByTime(apartMs);
    show();
    await Promise.resolve();
  }
  vi.advanceTimersByTime(10_000);
  life.abort();
}

test('runs on each keystroke', async () => {
  await type(3, { apartMs: 90, length: 60_000 });
  expect(shownAt).toEqual([0, 90, 180]);
});

test('runs once for several transactions of one edit, before the next frame', async () => {
  const show = coalesce(
    () => shownAt.push(performance.now() - start),
    () => 100,
    new AbortController().signal,
    page,
  );
  show();
  show();
  expect(shownAt).toEqual([]);
  await Promise.resolve();
  expect(shownAt).toEqual([0]);
});

test('in a very long text, runs on the first keystroke and then after a pause', async () => {
  await type(5, { apartMs: 90, length: 400_000 });
  expect(shownAt).toEqual([0, 4 * 90 + 200]);
});

test('in a very long text, runs on each isolated keystroke', async () => {
  await type(3, { apartMs: 400, length: 400_000 });
  expect(shownAt).toEqual([0, 400, 800]);
});

test('in a very long text, runs now and then while typing never pauses', async () => {
  await type(40, { apartMs: 100, length: 400_000 });
  expect(shownAt.slice(0, 3)).toEqual([0, 1_600, 3_100]);
});

test('never runs after the project is closed', async () => {
  const life = new AbortController();
  const show = coalesce(
    () => shownAt.push(0),
    () => 400_000,
    life.signal,
    page,
  );
  show();
  await Promise.resolve();
  show();
  life.abort();
  show();
  vi.advanceTimersByTime(10_000);
  expect(shownAt).toHaveLength(1);
});

test('in a hidden tab, runs once when the tab becomes visible', async () => {
  page.hidden = true;
  const life = new AbortController();
  const show = coalesce(
    () => shownAt.push(performance.now() - start),
    () => 100,
    life.signal,
    page,
  );
  for (let letter = 0; letter < 3; letter += 1) {
    show();
    vi.advanceTimersByTime(1_000);
  }
  expect(shownAt).toEqual([]);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  show();
  await Promise.resolve();
  expect(shownAt).toEqual([3_000, 3_000]);
  life.abort();
});
