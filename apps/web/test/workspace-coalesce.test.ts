import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coalesce } from '../app/workspace/coalesce.ts';

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
function type(letters: number, { apartMs, length }: { apartMs: number; length: number }): void {
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
  }
  vi.advanceTimersByTime(10_000);
  life.abort();
}

test('runs on each keystroke', () => {
  type(3, { apartMs: 90, length: 60_000 });
  expect(shownAt).toEqual([0, 90, 180]);
});

test('in a very long text, runs on the first keystroke and then after a pause', () => {
  type(5, { apartMs: 90, length: 400_000 });
  expect(shownAt).toEqual([0, 4 * 90 + 200]);
});

test('in a very long text, runs on each isolated keystroke', () => {
  type(3, { apartMs: 400, length: 400_000 });
  expect(shownAt).toEqual([0, 400, 800]);
});

test('in a very long text, runs now and then while typing never pauses', () => {
  type(40, { apartMs: 100, length: 400_000 });
  expect(shownAt.slice(0, 3)).toEqual([0, 1_600, 3_100]);
});

test('never runs after the project is closed', () => {
  const life = new AbortController();
  const show = coalesce(
    () => shownAt.push(0),
    () => 400_000,
    life.signal,
    page,
  );
  show();
  show();
  life.abort();
  show();
  vi.advanceTimersByTime(10_000);
  expect(shownAt).toHaveLength(1);
});

test('in a hidden tab, runs once when the tab becomes visible', () => {
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
  expect(shownAt).toEqual([3_000, 3_000]);
  life.abort();
});
