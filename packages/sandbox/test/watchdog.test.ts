import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWatchdog } from '../src/host/watchdog.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(heartbeat: { silentMs: number }, page = { isBehind: false }) {
  const onHung = vi.fn();
  const isBehind = () => page.isBehind;
  return { onHung, watchdog: createWatchdog({ heartbeat, unresponsiveMs: 400, isBehind, onHung }) };
}

it('P-21 gives a page up that hangs once its code has not changed for a moment', () => {
  const { onHung, watchdog } = watch({ silentMs: 2_000 });
  for (let key = 0; key < 20; key += 1) {
    watchdog.expectAnswer();
    vi.advanceTimersByTime(150);
  }
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 leaves a page that answers meanwhile', () => {
  const heartbeat = { silentMs: 2_000 };
  const { onHung, watchdog } = watch(heartbeat);
  watchdog.expectAnswer();
  heartbeat.silentMs = 0;
  vi.advanceTimersByTime(1_000);
  expect(onHung).not.toHaveBeenCalled();
});

it('P-21 waits for a page of which nobody knows yet that it hangs', () => {
  const heartbeat = { silentMs: 100 };
  const { onHung, watchdog } = watch(heartbeat);
  watchdog.expectAnswer();
  vi.advanceTimersByTime(400);
  heartbeat.silentMs = 500;
  expect(onHung).not.toHaveBeenCalled();
  vi.advanceTimersByTime(50);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 gives a page up that begins to hang late, with what came before', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isBehind: true };
  const { onHung, watchdog } = watch(heartbeat, page);
  watchdog.expectAnswer();
  vi.advanceTimersByTime(20_000);
  expect(onHung).not.toHaveBeenCalled();
  heartbeat.silentMs = 1_000;
  vi.advanceTimersByTime(200);
  expect(onHung).toHaveBeenCalledOnce();
});

it('P-21 leaves a page that hangs with what is newest, which another would do too', () => {
  const heartbeat = { silentMs: 0 };
  const page = { isBehind: true };
  const { onHung, watchdog } = watch(heartbeat, page);
  watchdog.expectAnswer();
  vi.advanceTimersByTime(500);
  page.isBehind = false;
  for (let count = 0; count < 20; count += 1) {
    heartbeat.silentMs += 200;
    vi.advanceTimersByTime(200);
  }
  expect(onHung).not.toHaveBeenCalled();
});

it('P-21 expects nothing of the page before once another is there', () => {
  const { onHung, watchdog } = watch({ silentMs: 2_000 });
  watchdog.expectAnswer();
  watchdog.rest();
  vi.advanceTimersByTime(1_000);
  expect(onHung).not.toHaveBeenCalled();
});
